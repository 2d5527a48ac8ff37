/* SPDX-License-Identifier: MIT */
import { useRef } from 'react';

export default function OpenButton({ onOpen }: {
  onOpen: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current!.click()}>
        Open files…
      </button>
      <input ref={input} type="file" multiple hidden tabIndex={-1}
        aria-label="Files to open" onChange={(e) => {
          const files = [...e.target.files ?? []];
          e.target.value = '';
          if (files.length > 0) {
            onOpen(files);
          }
        }} />
    </>
  );
}
