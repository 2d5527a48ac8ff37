/* SPDX-License-Identifier: MIT */
/**
 * Reads nc3z archives and netCDF classic files in a browser.
 *
 *   const file = await open('https://example.org/sst.nc.nc3z');
 *   const { values } = await file.read('sst', { count: [1, 89, 180] });
 *
 * All work is done in one worker, made at the first call.
 */
import type { Identity } from './http';
import type { CallName, Calls, Reply } from './protocol';
import {
  ReaderError, type BlockInfo, type BlockPlace, type CheckOptions,
  type CheckResult, type FileInfo, type ReadOptions, type ReadPlan,
  type ReadResult, type Slab, type Source, type Storage, type Traffic,
} from './types';

export * from './types';

/** Beside this script, in one piece: bundlers take it for an asset. */
const workerUrl = () => new URL('./worker.js', import.meta.url);

let makeWorker = (): Worker => new Worker(workerUrl(), { type: 'module' });

/** For pages that bring the worker in a way of their own. */
export function setWorker(make: () => Worker): void {
  makeWorker = make;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  progress?: (original: number, archive: number) => void;
}

class Client {
  private readonly waiting = new Map<number, Waiting>();
  private number = 0;
  /** Why there will be no more answers. */
  failure: ReaderError | null = null;

  constructor(private readonly worker: Worker) {
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.take(data);
    worker.onerror = (event) => this.fail(event.message || 'the worker died');
  }

  private take(reply: Reply): void {
    const waiting = this.waiting.get(reply.number);
    if (!waiting) {
      return;
    }
    if ('progress' in reply) {
      waiting.progress?.(...reply.progress);
      return;
    }
    this.waiting.delete(reply.number);
    if ('error' in reply) {
      waiting.reject(new ReaderError(reply.error));
    } else {
      waiting.resolve(reply.result);
    }
  }

  private fail(message: string): void {
    this.failure = new ReaderError({ kind: 'internal', message });
    for (const { reject } of this.waiting.values()) {
      reject(this.failure);
    }
    this.waiting.clear();
  }

  call<C extends CallName>(call: C, argument: Calls[C]['argument'],
    signal?: AbortSignal, progress?: Waiting['progress']):
    Promise<Calls[C]['result']> {
    if (this.failure) {
      return Promise.reject(this.failure);
    }
    const number = ++this.number;
    const promise = new Promise<Calls[C]['result']>((resolve, reject) => {
      this.waiting.set(number, {
        resolve: resolve as (result: unknown) => void, reject, progress,
      });
    });
    signal?.addEventListener('abort',
      () => this.worker.postMessage({ number, call: 'abort' }));
    this.worker.postMessage({ number, call, argument });
    if (signal?.aborted) {
      this.worker.postMessage({ number, call: 'abort' });
    }
    return promise;
  }

  /** Ends at once, whatever it does. */
  terminate(): void {
    this.worker.terminate();
    this.fail('the worker was stopped');
  }
}

let shared: Client | null = null;

/** An open file; its calls may run side by side and are answered in turn. */
export class NetcdfFile {
  /** Use open(). */
  constructor(private readonly client: Client, private readonly file: number,
    private readonly source: Blob | ArrayBuffer | string,
    private readonly identity: Identity | null, readonly info: FileInfo) {}

  private id(variable: string | number): number {
    if (typeof variable === 'number') {
      return variable;
    }
    const found = this.info.variables.find((v) => v.name === variable);
    if (!found) {
      throw new ReaderError({ kind: 'argument',
        message: `there is no variable ${variable}` });
    }
    return found.id;
  }

  /** Values of a variable, by its name or number. */
  async read(variable: string | number, options: ReadOptions = {}):
    Promise<ReadResult> {
    const { signal, ...rest } = options;
    return this.client.call('read',
      { file: this.file, varid: this.id(variable), options: rest }, signal);
  }

  /** What reading them would cost; reads nothing but the index. */
  async plan(variable: string | number, slab: Slab = {}): Promise<ReadPlan> {
    return this.client.call('plan',
      { file: this.file, varid: this.id(variable), slab });
  }

  /** The header in CDL, the bytes that nc3dump -h prints. */
  async header(): Promise<Uint8Array> {
    return this.client.call('header', { file: this.file });
  }

  /** Times as dates to the millisecond, in the calendar that the variable names. */
  async times(variable: string | number, values: ArrayLike<number>):
    Promise<string[]> {
    return this.client.call('times',
      { file: this.file, varid: this.id(variable), values });
  }

  /** null for plain files. */
  async storage(variable: string | number): Promise<Storage | null> {
    return this.client.call('storage',
      { file: this.file, varid: this.id(variable) });
  }

  /** Where the blocks of a stream are; reads nothing but the index. */
  async blocks(stream: number): Promise<BlockPlace[]> {
    return this.client.call('blocks', { file: this.file, stream });
  }

  /** All about one block, which is read. */
  async block(stream: number, block: number): Promise<BlockInfo> {
    return this.client.call('block', { file: this.file, stream, block });
  }

  /** Requests and bytes so far. */
  async traffic(): Promise<Traffic> {
    return this.client.call('traffic', { file: this.file });
  }

  /**
   * Checks the whole archive, in a worker of its own; fails with kind "damaged"
   * and the block to blame.
   */
  async check(options: CheckOptions = {}): Promise<CheckResult> {
    const client = new Client(makeWorker());
    const stop = () => client.terminate();
    options.signal?.throwIfAborted();
    options.signal?.addEventListener('abort', stop);
    try {
      return await client.call('check', { source: this.source,
        identity: this.identity, quick: options.quick === true },
      undefined, options.onProgress);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    } finally {
      options.signal?.removeEventListener('abort', stop);
      client.terminate();
    }
  }

  async close(): Promise<void> {
    return this.client.call('close', { file: this.file });
  }
}

/** The name that a source has, for the name of the data set. */
function pathOf(source: Source): string {
  if (source instanceof Blob) {
    return 'name' in source ? String(source.name) : '';
  }
  if (source instanceof ArrayBuffer) {
    return '';
  }
  const path = new URL(source, self.location.href).pathname;
  try {
    return decodeURIComponent(path);
  } catch { // a % that escapes nothing
    return path;
  }
}

/** Opens an archive or a netCDF classic file. */
export async function open(source: Source, path = pathOf(source)):
  Promise<NetcdfFile> {
  if (!shared || shared.failure) {
    shared = new Client(makeWorker());
  }
  const plain = source instanceof Blob || source instanceof ArrayBuffer ?
    source : new URL(source, self.location.href).href;
  const client = shared;
  const { file, info, identity } =
    await client.call('open', { source: plain, path });
  return new NetcdfFile(client, file, plain, identity, info);
}
