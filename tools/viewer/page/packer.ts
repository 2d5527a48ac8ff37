/* SPDX-License-Identifier: MIT */
/**
 * The packer, in a script of its own beside the page: it is as large as the
 * reader and few need it.  From file:// no page may fetch() it, but a script
 * element may load it; what it brings is the source of a worker.
 */
import { ReaderError, type ErrorData } from '../reader/src/types';

export interface Packed {
  archive: ArrayBuffer;
  seconds: number;
}

type Packer = (source: Blob | string, level: number, signal: AbortSignal,
  onProgress: (originalBytes: number) => void) => Promise<Packed>;

declare global {
  var nc3zPacker: string | undefined;
}

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(
      'packer.js could not be loaded: it must lie beside this page'));
    document.head.append(script);
  });
}

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
  if (globalThis.nc3zPacker === undefined) {
    await loadScript('packer.js');
  }
  const source = globalThis.nc3zPacker!;
  return (...rest) => pack(source, ...rest);
}
