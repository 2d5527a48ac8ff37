/* SPDX-License-Identifier: MIT */
/** The header in CDL: byte for byte what nc3dump -h prints. */
import { useEffect, useState } from 'react';

import { useOpened } from '../context';
import { errorText, save } from '../format';

export default function Header() {
  const { file } = useOpened();
  const [bytes, setBytes] = useState<Uint8Array>();
  const [error, setError] = useState('');
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    file.header().then(setBytes, (e: unknown) => setError(errorText(e)));
  }, [file]);
  const text = bytes && new TextDecoder().decode(bytes);
  return (
    <section>
      <div className="bar">
        <h2>Header</h2>
        <button type="button" disabled={!text} onClick={() => {
          void navigator.clipboard.writeText(text!).then(() => setCopied(true));
        }}>{copied ? 'Copied' : 'Copy'}</button>
        <button type="button" disabled={!bytes} onClick={() =>
          save(`${file.info.name}.cdl`, bytes as BlobPart, 'text/plain')}>
          Save
        </button>
        <span className="note">CDL, as nc3dump -h prints it</span>
      </div>
      {file.info.refusal && (
        <p role="note">NetCDF libraries refuse the original: {file.info.refusal}</p>
      )}
      {error && <p role="alert">{error}</p>}
      <pre tabIndex={0} aria-label="Header in CDL" data-testid="cdl">{text}</pre>
    </section>
  );
}
