/* SPDX-License-Identifier: MIT */
/** Files, in the worker: the C library with what it lacks to wait. */
import makeModule from 'generated/reader.mjs';
import wasm from 'generated/reader.wasm.js';
import {
  makeInstance, withMemory, withText, type Callbacks, type Module,
} from './module';
import {
  BlobStore, MemoryStore, UrlStore, type Range, type Store,
} from './store';
import {
  checkNbytes, ReaderError, type Archive, type Attribute, type BlockInfo, type BlockPlace,
  type CheckResult, type Dimension, type ErrorKind, type FileInfo,
  type ReadOptions, type ReadPlan, type ReadResult, type Slab, type Storage,
  type TypeName, type Values, type Variable,
} from './types';

interface Face extends Module {
  _face_open(id: number, size: number): number;
  _face_close(file: number): void;
  _face_refusal(file: number): number;
  _face_error_status(): number;
  _face_get(file: number, varid: number, slab: number, memtype: number, values: number): number;
  _face_announce(file: number, varid: number, slab: number): number;
  _face_count_blocks(file: number, varid: number, slab: number): number;
  _face_storage(file: number, varid: number, out: number): number;
  _face_record(file: number, stream: number, block: number, out: number): number;
  _face_block(file: number, stream: number, block: number, out: number,
    coding: number): number;
  _face_coding_nbytes(): number;
  _face_check(id: number, size: number, quick: number, sha256: number): number;
  _face_text(file: number, name: number, kind: number): number;
  _face_text_nbytes(): number;
  _face_time_axis(file: number, varid: number): number;
  _face_time(value: number, to: number): void;
  _face_time_nbytes(): number;
}

/** Numbers of nc3z.h; test/hygiene/check_callers.py compares them. */
const OK = 0;
const EINVAL = 1;
const ENOMEM = 3;
const ENOTCLASSIC = 5;
const ENOTARCHIVE = 6;
const EDAMAGED = 7;
const EUNSUPPORTED = 8;
const ELIMIT = 9;
const ECHANGED = 10;
const ETRUNCATED = 11;
const ERANGE = 12;
const ECHAR = 13;
const EBADTYPE = 20;
const FLOAT = 5;
const DOUBLE = 6;
const UNPACKED = 0x100;

const KINDS: Record<number, ErrorKind> = {
  [EINVAL]: 'argument', [ENOMEM]: 'memory', [ENOTCLASSIC]: 'not-netcdf',
  [ENOTARCHIVE]: 'not-netcdf', [EDAMAGED]: 'damaged',
  [EUNSUPPORTED]: 'unsupported', [ELIMIT]: 'limit', [ECHANGED]: 'changed',
};

function kindOf(status: number): ErrorKind {
  return status >= ECHAR && status <= EBADTYPE ? 'argument' :
    KINDS[status] ?? 'internal';
}

const TEXT_HEADER = 0;
const TEXT_JSON = 1;

/** Arrays for values of a type. */
const ARRAYS: Record<TypeName, { new(buffer: ArrayBuffer): Values;
  BYTES_PER_ELEMENT: number }> = {
    byte: Int8Array, char: Uint8Array, short: Int16Array, int: Int32Array,
    float: Float32Array, double: Float64Array, ubyte: Uint8Array,
    ushort: Uint16Array, uint: Uint32Array, int64: BigInt64Array,
    uint64: BigUint64Array,
  };
/** Types all of whose values a float holds. */
const SMALL = new Set<TypeName>(['byte', 'ubyte', 'short', 'ushort', 'float']);

/** The most rounds of fetching that a job takes: each finds more places. */
const ROUNDS_MAX = 64;
const DIMS_MAX = 1024;

const stores: (Store | null)[] = [];
let progressTo: (original: number, archive: number) => void = () => {};
/** An exception in a callback, which must not pass through C. */
let thrown: unknown = null;

const callbacks: Callbacks = {
  readAt(id, offset, pointer, nbytes) {
    try {
      const data = stores[id]!.read(offset, nbytes);
      if (!data) {
        return -1;
      }
      face!.HEAPU8.set(data, pointer);
      return data.length;
    } catch (error) {
      thrown = error;
      return -1;
    }
  },
  announce(id, offset, nbytes) {
    stores[id]!.announce(offset, nbytes);
  },
  progress(_id, original, archive) {
    progressTo(original, archive);
  },
};

let face: Face | null = null;
let loading: Promise<Face> | null = null;

async function load(): Promise<Face> {
  loading ??= makeInstance<Face>(makeModule, wasm, callbacks);
  face = await loading;
  return face;
}

function takeError(variable?: string): ReaderError {
  const stream = face!._face_error_stream();
  const block = face!._face_error_block();
  const text = face!.UTF8ToString(face!._face_error_text());
  return new ReaderError({
    kind: 'internal',
    message: variable === undefined || text.startsWith('variable ') ? text :
      `variable ${variable}: ${text}`,
    variable,
    stream: stream < 0 ? undefined : stream,
    block: block < 0 ? undefined : block,
  });
}

function failure(status: number, variable?: string): ReaderError {
  if (thrown !== null) {
    const error = thrown;
    thrown = null;
    return error instanceof ReaderError ? error : new ReaderError({
      kind: 'internal', message: String((error as Error)?.message ?? error),
    });
  }
  const error = takeError(variable);
  error.kind = kindOf(status);
  return error;
}

/** "dir/sst.mnmean.nc.nc3z" -> "sst.mnmean", as nc3dump names a data set. */
export function dataSetName(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/\.nc3z$/, '');
  const dot = last.lastIndexOf('.');
  return dot >= 0 ? last.slice(0, dot) : last;
}

interface JsonAttribute {
  name: string;
  type: TypeName;
  value: string | (number | string)[];
}

function attributeOf(a: JsonAttribute): Attribute {
  return {
    name: a.name,
    type: a.type,
    value: typeof a.value === 'string' ? a.value : a.value.map(Number),
  };
}

export class Core {
  private closed = false;

  private constructor(private readonly id: number,
    private readonly store: Store, private readonly file: number,
    private readonly path: string, readonly info: FileInfo) {}

  static async open(store: Store, path: string): Promise<Core> {
    const module = await load();
    const id = stores.push(store) - 1;
    let file = 0;
    try {
      file = await openFile(module, store, id);
      const info = await describe(module, store, file, path);
      return new Core(id, store, file, path, info);
    } catch (error) {
      module._face_close(file);
      stores[id] = null;
      throw error;
    }
  }

  close(): void {
    if (!this.closed) {
      face!._face_close(this.file);
      this.store.close();
      stores[this.id] = null;
      this.closed = true;
    }
  }

  get traffic() {
    return this.store.traffic;
  }

  /** What nc3dump -h prints. */
  header(): Uint8Array {
    return textOf(face!, this.file, dataSetName(this.path), TEXT_HEADER);
  }

  private slabOf(varid: number, slab: Slab) {
    const variable = this.info.variables[varid];
    if (!variable) {
      throw new ReaderError({ kind: 'argument',
        message: `there is no variable ${varid}` });
    }
    const { shape } = variable;
    const start = slab.start ?? shape.map(() => 0);
    const stride = slab.stride ?? shape.map(() => 1);
    const count = slab.count ?? shape.map((length, i) =>
      Math.max(0, Math.ceil((length - start[i]!) / stride[i]!)));
    if (shape.some((length) => length >= 2 ** 31)) {
      throw new ReaderError({ kind: 'limit', variable: variable.name,
        message: `variable ${variable.name}: a dimension of 2^31 or more is ` +
          'too long for a browser' });
    }
    for (const list of [start, stride, count]) {
      if (list.length !== shape.length || list.some((n) =>
        !Number.isInteger(n) || n < 0 || n >= 2 ** 31)) {
        throw new ReaderError({ kind: 'argument',
          message: `variable ${variable.name}: start, count and stride need ` +
            `${shape.length} whole numbers each, below 2^31` });
      }
    }
    if (shape.some((length, i) => stride[i]! < 1 || start[i]! > length ||
        count[i]! > 0 && start[i]! + (count[i]! - 1) * stride[i]! >= length)) {
      throw new ReaderError({ kind: 'argument',
        message: `variable ${variable.name}: start, count and stride pass its ` +
          `shape, ${shape.join(' x ')}` });
    }
    return { variable, start, count, stride };
  }

  /** Calls with start, count and stride as struct face_slab. */
  private withSlab<T>(s: { start: number[]; count: number[];
    stride: number[] }, use: (slab: number) => T): T {
    const nbytes = 4 * DIMS_MAX;
    if (s.start.length > DIMS_MAX) {
      throw new ReaderError({ kind: 'limit',
        message: `more than ${DIMS_MAX} dimensions` });
    }
    return withMemory(face!, [3 * nbytes], (p) => {
      [s.start, s.count, s.stride].forEach((list, i) =>
        face!.HEAPU32.set(list, (p! + i * nbytes) / 4));
      return use(p!);
    });
  }

  async read(varid: number, options: ReadOptions): Promise<ReadResult> {
    const slab = this.slabOf(varid, options);
    const { variable, count } = slab;
    const unpack = options.unpack === true && variable.type !== 'char';
    const small = SMALL.has(variable.type);
    const make = !unpack ? ARRAYS[variable.type] :
      small ? Float32Array : Float64Array;
    const memtype = unpack ? (small ? FLOAT : DOUBLE) | UNPACKED : 0;
    const nbytes = count.reduce((a, b) => a * b, make.BYTES_PER_ELEMENT);
    checkNbytes(variable.name, nbytes);
    let truncated = false;
    const values = await repeat(this.store, () => withMemory(face!, [nbytes],
      (p) => {
        const status = this.withSlab(slab, (wanted) =>
          face!._face_get(this.file, varid, wanted, memtype, p!));
        truncated = status === ETRUNCATED;
        lastStatus = status;
        return status === OK || status === ERANGE || truncated ?
          new make(face!.HEAPU8.slice(p, p! + nbytes).buffer) : null;
      }), (result) => result !== null,
    () => failure(lastStatus, variable.name), options.signal);
    this.store.trim();
    return { values: values!, count, truncated };
  }

  private checkArchive(): void {
    if (!this.info.archive) {
      throw new ReaderError({ kind: 'argument',
        message: 'a plain netCDF file has no blocks' });
    }
  }

  async plan(varid: number, options: Slab): Promise<ReadPlan> {
    const slab = this.slabOf(varid, options);
    if (slab.count.includes(0)) {
      return { blocks: 0, bytes: 0 };
    }
    this.checkArchive();
    const { store } = this;
    const index = new Set<number>();
    return repeat(store, () => this.withSlab(slab, (p) => {
      const blocks = face!._face_count_blocks(this.file, varid, p);
      if (blocks < 0) {
        throw failure(EINVAL, slab.variable.name);
      }
      const announced: Range[] = [];
      store.rehearsal = { announced, index };
      face!._face_announce(this.file, varid, p);
      store.rehearsal = null;
      // The first block that is missing ends the call.  What was missing before
      // is of the index, where all blocks are looked up first.
      store.missing.pop();
      store.missing.forEach((range) => index.add(range.offset));
      return { blocks, bytes: announced.reduce((n, r) => n + r.nbytes, 0) };
    }), () => store.missing.length === 0, () => failure(EINVAL));
  }

  /** null: a plain file. */
  storage(varid: number): Storage | null {
    return withMemory(face!, [8 * (5 + DIMS_MAX)], (p) => {
      const status = face!._face_storage(this.file, varid, p!);
      if (status === ENOTARCHIVE) {
        return null;
      }
      if (status !== OK) {
        throw failure(status);
      }
      const out = Array.from(
        face!.HEAPF64.subarray(p! / 8, p! / 8 + 5 + DIMS_MAX));
      return {
        stream: out[0]! < 0 ? null : out[0]!,
        shared: out[1] !== 0,
        blockBytes: out[2]!,
        blocks: out[3]!,
        chunks: out.slice(5, 5 + out[4]!),
      };
    });
  }

  /** All blocks of a stream, from the index; no block is read. */
  async blocks(stream: number): Promise<BlockPlace[]> {
    this.checkArchive();
    return (await repeat(this.store, () => withMemory(face!, [24], (out) => {
      const places: BlockPlace[] = [];
      for (let block = 0;; block++) {
        lastStatus = face!._face_record(this.file, stream, block, out!);
        if (lastStatus !== OK) {
          return lastStatus === EINVAL ? places : null;
        }
        const [offset, storedBytes, rawBytes] =
          face!.HEAPF64.slice(out! / 8, out! / 8 + 3);
        places.push({ offset: offset!, storedBytes: storedBytes!,
          rawBytes: rawBytes! });
      }
    }), (result) => result !== null, () => failure(lastStatus)))!;
  }

  async block(stream: number, block: number): Promise<BlockInfo> {
    return (await repeat(this.store, () => withMemory(face!,
      [32, face!._face_coding_nbytes()], (out, coding) => {
        lastStatus = face!._face_block(this.file, stream, block, out!, coding!);
        if (lastStatus !== OK) {
          return null;
        }
        const [offset, storedBytes, rawBytes, rawCrc] =
          face!.HEAPF64.slice(out! / 8, out! / 8 + 4);
        return { offset: offset!, storedBytes: storedBytes!,
          rawBytes: rawBytes!, rawCrc: rawCrc!,
          coding: face!.UTF8ToString(coding!) };
      }), (result) => result !== null, () => failure(lastStatus)))!;
  }

  /** Times as nc3dump -t prints them, rounded to milliseconds, without quotes. */
  times(varid: number, values: ArrayLike<number>): string[] {
    if (!face!._face_time_axis(this.file, varid)) {
      throw new ReaderError({ kind: 'argument',
        message: `variable ${varid} holds no times` });
    }
    return withMemory(face!, [face!._face_time_nbytes()], (p) =>
      Array.from(values, (value) => {
        face!._face_time(value, p!);
        return face!.UTF8ToString(p!);
      }));
  }
}

let lastStatus = OK;

/** Repeats a call until nothing is missing. */
async function repeat<T>(store: Store, call: () => T,
  isGood: (result: T) => boolean, why: () => ReaderError,
  signal?: AbortSignal): Promise<T> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    signal?.throwIfAborted();
    store.missing = [];
    thrown = null;
    const result = call();
    if (isGood(result)) {
      return result;
    }
    if (store.missing.length === 0 || thrown !== null) {
      throw why();
    }
    await store.fetch(store.missing, signal);
  }
  throw new ReaderError({ kind: 'internal',
    message: 'the library asks for ever more bytes' });
}

function openFile(module: Face, store: Store, id: number) {
  return repeat(store, () => module._face_open(id, store.size),
    (handle) => handle !== 0, () => failure(module._face_error_status()));
}

function textOf(module: Face, file: number, name: string,
  kind: number): Uint8Array {
  return withText(module, name, (p) => {
    const text = module._face_text(file, p, kind);
    if (text === 0) {
      throw failure(EINVAL);
    }
    return module.HEAPU8.slice(text, text + module._face_text_nbytes());
  });
}

async function describe(module: Face, store: Store, file: number,
  path: string): Promise<FileInfo> {
  const name = dataSetName(path);
  const text = await repeat(store,
    () => textOf(module, file, name, TEXT_JSON), () => true,
    () => failure(EINVAL));
  const json = JSON.parse(new TextDecoder().decode(text)) as {
    format: string; bytes: number; archive: Archive | null;
    dimensions: Dimension[]; variables: (Omit<Variable, 'id' | 'isTime'>)[];
    attributes: JsonAttribute[];
  };
  return {
    name,
    format: json.format,
    bytes: json.bytes,
    archive: json.archive,
    dimensions: json.dimensions,
    variables: json.variables.map((v, id) => ({
      ...v,
      id,
      attributes: (v.attributes as JsonAttribute[]).map(attributeOf),
      isTime: module._face_time_axis(file, id) !== 0,
    })),
    attributes: json.attributes.map(attributeOf),
    refusal: module.UTF8ToString(module._face_refusal(file)),
  };
}

/** A check of all of an archive; waits for every byte. */
export async function check(store: Store, quick: boolean,
  onProgress: (original: number, archive: number) => void):
  Promise<CheckResult> {
  const module = await load();
  const id = stores.push(store) - 1;
  progressTo = onProgress;
  try {
    return withMemory(module, [32], (p) => {
      const status = module._face_check(id, store.size, quick ? 1 : 0, p!);
      if (status !== OK || thrown !== null) {
        throw failure(status);
      }
      return { sha256: Array.from(module.HEAPU8.subarray(p, p! + 32),
        (b) => b.toString(16).padStart(2, '0')).join('') };
    });
  } finally {
    stores[id] = null;
  }
}

/** Stores for what a caller may give. */
export async function storeOf(source: Blob | ArrayBuffer | string):
  Promise<Store> {
  if (typeof source === 'string') {
    return UrlStore.open(source);
  }
  return source instanceof ArrayBuffer ?
    new MemoryStore(new Uint8Array(source)) : new BlobStore(source);
}
