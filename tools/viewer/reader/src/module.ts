/* SPDX-License-Identifier: MIT */
/** What Emscripten makes of src/*.c, and how it is loaded. */

export interface Module {
  HEAPU8: Uint8Array<ArrayBuffer>;
  HEAPU32: Uint32Array;
  HEAP32: Int32Array;
  HEAPF64: Float64Array;
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, nbytes: number): void;
  _malloc(nbytes: number): number;
  _free(pointer: number): void;
  _face_error_text(): number;
  _face_error_stream(): number;
  _face_error_block(): number;
}

export interface Callbacks {
  readAt(id: number, offset: number, pointer: number, nbytes: number): number;
  announce(id: number, offset: number, nbytes: number): void;
  progress(id: number, original: number, archive: number): void;
}

type Factory<M extends Module> =
  (options: Callbacks & { wasmBinary: ArrayBuffer;
    locateFile: (name: string) => string }) => Promise<M>;

/** An instance of a module whose code came as text: it looks for no file. */
export async function makeInstance<M extends Module>(factory: unknown,
  text: string, callbacks: Callbacks): Promise<M> {
  const wasmBinary = await decompress(text);
  return (factory as Factory<M>)({ ...callbacks, wasmBinary,
    locateFile: (name) => name });
}

/** From base64 of gzip: so it can stand in a script. */
export async function decompress(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream()
    .pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** Memory of the module for the length of a call. */
export function withMemory<T>(module: Module, sizes: number[],
  work: (...pointers: number[]) => T): T {
  const pointers: number[] = [];
  try {
    for (const size of sizes) {
      // malloc(0) may be NULL
      const pointer = module._malloc(Math.max(size, 8));
      if (pointer === 0) {
        throw new RangeError('out of memory');
      }
      pointers.push(pointer);
    }
    return work(...pointers);
  } finally {
    pointers.forEach((pointer) => module._free(pointer));
  }
}

/** Text as the C library takes it. */
export function withText<T>(module: Module, text: string,
  use: (pointer: number) => T): T {
  const nbytes = 4 * text.length + 1;
  return withMemory(module, [nbytes], (pointer) => {
    module.stringToUTF8(text, pointer!, nbytes);
    return use(pointer!);
  });
}
