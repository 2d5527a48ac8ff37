/* SPDX-License-Identifier: MIT */
/** The packer, a worker whose source lies beside the page. */
import { ReaderError, type ErrorData } from '../reader/src/types';
import { textBeside } from './beside';

export interface Packed {
  archive: ArrayBuffer;
  seconds: number;
}

type Packer = (source: Blob | string, level: number, signal: AbortSignal,
  onProgress: (originalBytes: number) => void) => Promise<Packed>;

type Reply = { progress: number } | { error: ErrorData } |
  { archive: ArrayBuffer };

function pack(source: string, ...[input, level, signal, onProgress]:
  Parameters<Packer>): Promise<Packed> {
  const url = URL.createObjectURL(new Blob([source],
    { type: 'text/javascript' }));
  const worker = new Worker(url);
  const begin = performance.now();
  return new Promise<Packed>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    worker.onerror = (e) => reject(new Error(e.message));
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ('progress' in data) {
        onProgress(data.progress);
      } else if ('error' in data) {
        reject(new ReaderError(data.error));
      } else {
        resolve({ archive: data.archive,
          seconds: (performance.now() - begin) / 1000 });
      }
    };
    worker.postMessage({ input, level });
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(url);
  });
}

export async function loadPacker(): Promise<Packer> {
  const source = await textBeside('packer.js', () => globalThis.nc3zPacker);
  return (...rest) => pack(source, ...rest);
}
