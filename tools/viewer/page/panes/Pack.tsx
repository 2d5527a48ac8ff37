/* SPDX-License-Identifier: MIT */
/** How small would a classic file be?  The packer is loaded when asked for. */
import { useRef, useState } from 'react';

import { loadPacker, type Packed } from '../packer';
import { useOpened } from '../context';
import { bytesText, errorText, isAborted, ratioText, save } from '../format';

export default function Pack() {
  const { file, source, name } = useOpened();
  const [level, setLevel] = useState(5);
  const [part, setPart] = useState<number>();
  const [packed, setPacked] = useState<Packed>();
  const [error, setError] = useState('');
  const stop = useRef<AbortController>();

  const start = async () => {
    stop.current = new AbortController();
    setError('');
    setPacked(undefined);
    setPart(0);
    try {
      const packer = await loadPacker();
      setPacked(await packer(source, level, stop.current.signal,
        (done) => setPart(done / file.info.bytes)));
    } catch (e) {
      if (!isAborted(e)) {
        setError(errorText(e));
      }
    } finally {
      setPart(undefined);
    }
  };
  return (
    <section>
      <h2>Pack</h2>
      <p>
        A netCDF classic file of {bytesText(file.info.bytes)}. How small would
        it be as an nc3z archive? It is packed here, in this tab; nothing is
        sent anywhere.
      </p>
      <p>
        <label>level{' '}
          <select value={level} onChange={(e) => setLevel(Number(e.target.value))}>
            {[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => <option key={n}>{n}</option>)}
          </select>
        </label>{' '}
        <button type="button" disabled={part !== undefined}
          onClick={() => void start()}>Pack it</button>
      </p>
      <div aria-live="polite" data-testid="pack">
        {part !== undefined && (
          <p>
            <progress aria-label="Progress of packing" value={part} />{' '}
            <button type="button" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          </p>
        )}
        {packed && (
          <p>
            {bytesText(packed.archive.byteLength)}, ratio{' '}
            {ratioText(file.info.bytes, packed.archive.byteLength)}, packed in{' '}
            {packed.seconds.toFixed(1)} s by one thread.{' '}
            <button type="button" onClick={() => save(`${name}.nc3z`,
              packed.archive, 'application/x-nc3z')}>
              Save the archive
            </button>
          </p>
        )}
        {error && <p role="alert">{error}</p>}
      </div>
    </section>
  );
}
