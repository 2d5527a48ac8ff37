/* SPDX-License-Identifier: MIT */
/** The worker: takes calls one after the other, as C keeps state. */
import { check, Core, storeOf } from './core';
import type { CallName, Calls, Reply, Request } from './protocol';
import { UrlStore } from './store';
import { ReaderError, type ErrorData } from './types';

const files = new Map<number, Core>();
let nextFile = 1;

function fileOf(number: number): Core {
  const file = files.get(number);
  if (!file) {
    throw new ReaderError({ kind: 'closed', message: 'the file is closed' });
  }
  return file;
}

interface Job {
  signal: AbortSignal;
  progress: (original: number, archive: number) => void;
}

const calls: { [C in CallName]: (argument: Calls[C]['argument'], job: Job) =>
  Promise<Calls[C]['result']> | Calls[C]['result'] } = {
    async open({ source, path }) {
      const store = await storeOf(source);
      const core = await Core.open(store, path);
      const file = nextFile++;
      files.set(file, core);
      return { file, info: core.info,
        identity: store instanceof UrlStore ? store.whatItIs : null };
    },
    close({ file }) {
      files.get(file)?.close();
      files.delete(file);
    },
    header: ({ file }) => fileOf(file).header(),
    read: ({ file, varid, options }, job) =>
      fileOf(file).read(varid, { ...options, signal: job.signal }),
    plan: ({ file, varid, slab }) => fileOf(file).plan(varid, slab),
    storage: ({ file, varid }) => fileOf(file).storage(varid),
    blocks: ({ file, stream }) => fileOf(file).blocks(stream),
    block: ({ file, stream, block }) => fileOf(file).block(stream, block),
    times: ({ file, varid, values }) => fileOf(file).times(varid, values),
    traffic: ({ file }) => ({ ...fileOf(file).traffic }),
    async check({ source, identity, quick }, job) {
      const store = typeof source === 'string' && identity ?
        UrlStore.reopen(source, identity) : await storeOf(source);
      if (store instanceof UrlStore) {
        store.waits = true;
      }
      return check(store, quick, job.progress);
    },
  };

function errorData(error: unknown): ErrorData {
  if (error instanceof ReaderError) {
    const { kind, message, variable, stream, block } = error;
    return { kind, message, variable, stream, block };
  }
  if ((error as Error)?.name === 'AbortError') {
    return { kind: 'aborted', message: 'no longer wanted' };
  }
  if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError) {
    return { kind: 'memory', message: `out of memory: ${error.message}` };
  }
  return { kind: 'internal',
    message: String((error as Error)?.message ?? error) };
}

function transferables(result: unknown): Transferable[] {
  const values = (result as { values?: unknown } | undefined)?.values;
  return ArrayBuffer.isView(values) ? [values.buffer as ArrayBuffer] : [];
}

const post = (reply: Reply, transfer: Transferable[] = []) =>
  (self as unknown as DedicatedWorkerGlobalScope).postMessage(reply, transfer);

const running = new Map<number, AbortController>();
let last: Promise<unknown> = Promise.resolve();

async function run(number: number, call: CallName, argument: unknown,
  signal: AbortSignal): Promise<void> {
  try {
    signal.throwIfAborted();
    const result = await (calls[call] as (a: unknown, job: Job) => unknown)(
      argument, {
        signal,
        progress: (...progress) => post({ number, progress }),
      });
    post({ number, result }, transferables(result));
  } catch (error) {
    post({ number, error: errorData(signal.aborted ? signal.reason : error) });
  } finally {
    running.delete(number);
  }
}

self.onmessage = ({ data }: MessageEvent<Request>) => {
  if (data.call === 'abort') {
    running.get(data.number)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(data.number, controller);
  const { number, call, argument } = data;
  last = last.then(() => run(number, call, argument, controller.signal));
};
