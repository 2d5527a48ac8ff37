/* SPDX-License-Identifier: MIT */
/** The worker that packs one file and ends. */
import makeModule from 'generated/packer.mjs';
import wasm from 'generated/packer.wasm.js';
import { makeInstance, type Module } from './module';
import { BlobStore, UrlStore } from './store';
import { ReaderError, type ErrorData } from './types';

interface Face extends Module {
  _face_pack(id: number, size: number, level: number, max: number): number;
  _face_packed(): number;
  _face_packed_nbytes(): number;
}

/** Memory of a tab is bounded; so is what is packed into it. */
const ARCHIVE_NBYTES_MAX = 1 << 30;

const post = (message: unknown, transfer: Transferable[] = []) =>
  (self as unknown as DedicatedWorkerGlobalScope).postMessage(message, transfer);

async function pack(input: Blob | string, level: number): Promise<void> {
  const store = typeof input === 'string' ? await UrlStore.open(input) :
    new BlobStore(input);
  if (store instanceof UrlStore) {
    store.waits = true;
  }
  let thrown: unknown;
  const face: Face = await makeInstance<Face>(makeModule, wasm, {
    readAt(_id, offset, pointer, nbytes) {
      try {
        const data = store.read(offset, nbytes)!;
        face.HEAPU8.set(data, pointer);
        return data.length;
      } catch (error) {
        thrown = error;
        return -1;
      }
    },
    announce: () => {},
    progress: (_id, original) => post({ progress: original }),
  });
  const status = face._face_pack(0, store.size, level, ARCHIVE_NBYTES_MAX);
  if (status !== 0) {
    throw thrown ?? new ReaderError({ kind: 'internal',
      message: face.UTF8ToString(face._face_error_text()) });
  }
  const at = face._face_packed();
  const archive = face.HEAPU8.slice(at, at + face._face_packed_nbytes()).buffer;
  post({ archive }, [archive]);
}

self.onmessage = ({ data }: MessageEvent<{ input: Blob | string;
  level: number }>) => {
  pack(data.input, data.level).catch((error: unknown) => {
    const plain: ErrorData = error instanceof ReaderError ?
      { kind: error.kind, message: error.message } :
      { kind: 'internal', message: String((error as Error)?.message ?? error) };
    post({ error: plain });
  });
};
