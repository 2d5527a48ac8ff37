/* SPDX-License-Identifier: MIT */
import { useRef } from 'react';

export default function OpenButton({ onOpen }: {
  onOpen: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current!.click()}>
        Open a file…
      </button>
      <input ref={input} type="file" hidden tabIndex={-1}
        aria-label="File to open" onChange={(e) => {
          const file = e.target.files?.[0];
          e.target.value = '';
          if (file) {
            onOpen(file);
          }
        }} />
    </>
  );
}
