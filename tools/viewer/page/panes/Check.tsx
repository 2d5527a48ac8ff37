/* SPDX-License-Identifier: MIT */
/** Is the archive whole? */
import { useRef, useState } from 'react';

import { ReaderError, type NetcdfFile } from '../../reader/src/index';
import { useOpened } from '../context';
import { bytesText, errorText, isAborted } from '../format';

type Outcome =
  | { kind: 'running'; quick: boolean; part: number }
  | { kind: 'good'; quick: boolean; sha256: string; seconds: number }
  | { kind: 'bad'; text: string }
  | { kind: 'none' };

/** Which variables have a stream, as it has no name in an error. */
async function explain(file: NetcdfFile, error: unknown): Promise<string> {
  const text = errorText(error);
  if (!(error instanceof ReaderError) || error.stream === undefined) {
    return text;
  }
  const names: string[] = [];
  for (const v of file.info.variables) {
    if ((await file.storage(v.id))?.stream === error.stream) {
      names.push(v.name);
    }
  }
  const where = names.length > 0 ? names.join(', ') : 'the header or the rest';
  return `Damaged: block ${error.block} of ${where}. ${text}`;
}

export default function Check() {
  const { file, source, name } = useOpened();
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const stop = useRef<AbortController>();
  const archive = file.info.archive!;

  const start = async (quick: boolean) => {
    const controller = new AbortController();
    const begin = performance.now();
    stop.current = controller;
    setOutcome({ kind: 'running', quick, part: 0 });
    try {
      const { sha256 } = await file.check({
        quick,
        signal: controller.signal,
        onProgress: (_original, done) => setOutcome({ kind: 'running', quick,
          part: done / archive.bytes }),
      });
      setOutcome({ kind: 'good', quick, sha256,
        seconds: (performance.now() - begin) / 1000 });
    } catch (error) {
      setOutcome(isAborted(error) ? { kind: 'none' } :
        { kind: 'bad', text: await explain(file, error) });
    }
  };
  const running = outcome.kind === 'running';
  const cost = typeof source === 'string' ? ` Fetches ${bytesText(archive.bytes)}.` : '';
  return (
    <section>
      <h2>Check</h2>
      <p>
        <button type="button" disabled={running}
          onClick={() => void start(true)}>Quick check</button>{' '}
        every checksum of what is stored.{cost}
      </p>
      <p>
        <button type="button" disabled={running}
          onClick={() => void start(false)}>Full check</button>{' '}
        decodes everything and computes the SHA-256 of the original.{cost}
      </p>
      <div aria-live="polite" data-testid="check">
        {outcome.kind === 'running' && (
          <p>
            <progress aria-label="Progress of the check"
              value={outcome.part} />{' '}
            {Math.floor(100 * outcome.part)} %{' '}
            <button type="button" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          </p>
        )}
        {outcome.kind === 'good' && (
          <>
            <p className="good">
              {outcome.quick ? 'Whole: all checksums of the archive hold.' :
                'Whole: the original can be restored, byte for byte.'}{' '}
              {outcome.seconds.toFixed(1)} s
            </p>
            {outcome.quick ?
              <p>SHA-256 of the original, as the archive states it:</p> :
              <p>SHA-256 of the original, computed now; for sha256sum -c:</p>}
            <pre tabIndex={0} aria-label="SHA-256">{outcome.sha256}{'  '}
              {name.replace(/\.nc3z$/, '')}</pre>
          </>
        )}
        {outcome.kind === 'bad' && <p role="alert">{outcome.text}</p>}
      </div>
    </section>
  );
}
