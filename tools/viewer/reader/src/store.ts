/* SPDX-License-Identifier: MIT */
/**
 * Where the bytes of a file are.  The library asks for them from inside
 * WebAssembly and cannot wait: read() gives those that are here, or notes which
 * are missing, for fetch() to bring.
 */
import { fetchRange, openUrl, readRangeNow, type Identity } from './http';
import type { Traffic } from './types';

export interface Range {
  offset: number;
  nbytes: number;
}

/** What the library says that it would read, if it may only read the index. */
export interface Rehearsal {
  announced: Range[];
  /** Offsets in the index. */
  index: Set<number>;
}

export abstract class Store {
  abstract readonly size: number;
  /** What read() did not find since this was emptied. */
  missing: Range[] = [];
  rehearsal: Rehearsal | null = null;
  traffic: Traffic = { requests: 0, bytes: 0 };

  /** Bytes, fewer only at the end; null: noted as missing. */
  read(offset: number, nbytes: number): Uint8Array | null {
    const n = Math.max(0, Math.min(nbytes, this.size - offset));
    const isHidden = this.rehearsal && !this.rehearsal.index.has(offset);
    const data = n === 0 ? new Uint8Array(0) :
      isHidden ? null : this.find(offset, n);
    if (!data) {
      this.missing.push({ offset, nbytes: n });
    }
    return data;
  }

  /** A range that the library will read: it is fetched with what is missing. */
  announce(offset: number, nbytes: number): void {
    const range = { offset, nbytes: Math.min(nbytes, this.size - offset) };
    if (this.rehearsal) {
      this.rehearsal.announced.push(range);
    } else if (!this.has(range)) {
      this.missing.push(range);
    }
  }

  protected has(_range: Range): boolean {
    return true;
  }

  protected abstract find(offset: number, nbytes: number): Uint8Array | null;

  /** Brings what is missing. */
  async fetch(_ranges: Range[], _signal?: AbortSignal): Promise<void> {}

  /** Between two jobs: gives memory back. */
  trim(): void {}

  close(): void {}
}

/** Bytes in memory. */
export class MemoryStore extends Store {
  readonly size: number;
  constructor(private readonly data: Uint8Array) {
    super();
    this.size = data.byteLength;
  }

  protected override find(offset: number, nbytes: number): Uint8Array {
    return this.data.subarray(offset, offset + nbytes);
  }
}

/** A file on this machine; workers may wait for it. */
export class BlobStore extends Store {
  readonly size: number;
  private readonly reader = new FileReaderSync();
  private ahead: { offset: number; data: Uint8Array } | null = null;
  private static readonly AHEAD_NBYTES = 1 << 20;

  constructor(private readonly blob: Blob) {
    super();
    this.size = blob.size;
  }

  protected override find(offset: number, nbytes: number): Uint8Array {
    const held = this.ahead;
    if (held && offset >= held.offset &&
        offset + nbytes <= held.offset + held.data.length) {
      const at = offset - held.offset;
      return held.data.subarray(at, at + nbytes);
    }
    const n = Math.min(Math.max(nbytes, BlobStore.AHEAD_NBYTES),
      this.size - offset);
    const data = new Uint8Array(
      this.reader.readAsArrayBuffer(this.blob.slice(offset, offset + n)));
    this.traffic.requests++;
    this.traffic.bytes += data.length;
    this.ahead = { offset, data };
    return data.subarray(0, nbytes);
  }
}

const PAGE_NBYTES = 1 << 16;
/** Pages of all files that are kept between jobs. */
const KEPT_NBYTES = 64 << 20;
/** Requests side by side, and what one of them is worth. */
const SIDE_BY_SIDE = 6;
const PIECE_NBYTES = 512 << 10;
/** What is read ahead where the worker waits. */
const AHEAD_NBYTES = 4 << 20;

/** Runs of pages that are missing, as ranges of about equal size. */
export function planFetch(pages: Iterable<number>, size: number): Range[] {
  const sorted = [...new Set(pages)].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const page of sorted) {
    const last = runs.at(-1);
    // one page in between costs less than a request
    if (last && page <= last[1] + 2) {
      last[1] = page;
    } else {
      runs.push([page, page]);
    }
  }
  const total = runs.reduce((n, [a, b]) => n + b - a + 1, 0) * PAGE_NBYTES;
  const piece = Math.max(PIECE_NBYTES, Math.ceil(total / SIDE_BY_SIDE));
  const piecePages = Math.ceil(piece / PAGE_NBYTES);
  const ranges: Range[] = [];
  for (const [first, last] of runs) {
    for (let page = first; page <= last; page += piecePages) {
      const offset = page * PAGE_NBYTES;
      const end = Math.min((Math.min(last, page + piecePages - 1) + 1) *
        PAGE_NBYTES, size);
      ranges.push({ offset, nbytes: end - offset });
    }
  }
  return ranges;
}

/** A file on a web server, in pages. */
export class UrlStore extends Store {
  /** Files that have pages; the one that was used last is the last. */
  private static readonly all = new Set<UrlStore>();
  readonly size: number;
  /** Whether read() may wait: for jobs that read all, in order. */
  waits = false;
  private readonly pages = new Map<number, Uint8Array>();

  private constructor(private readonly url: string,
    private readonly identity: Identity) {
    super();
    this.size = identity.size;
  }

  static async open(url: string): Promise<UrlStore> {
    const { identity, first, requests } = await openUrl(url, PAGE_NBYTES);
    const store = new UrlStore(url, identity);
    store.traffic = { requests, bytes: first.length };
    store.keep(0, first);
    return store;
  }

  /** The same file again, for another worker. */
  static reopen(url: string, identity: Identity): UrlStore {
    return new UrlStore(url, identity);
  }

  get whatItIs(): Identity {
    return this.identity;
  }

  private keep(offset: number, data: Uint8Array): void {
    for (let at = 0; at < data.length; at += PAGE_NBYTES) {
      this.pages.set((offset + at) / PAGE_NBYTES,
        data.subarray(at, at + PAGE_NBYTES));
    }
  }

  private missingPages(offset: number, nbytes: number): number[] {
    const pages: number[] = [];
    const end = Math.ceil((offset + nbytes) / PAGE_NBYTES);
    for (let p = Math.floor(offset / PAGE_NBYTES); p < end; p++) {
      if (!this.pages.has(p)) {
        pages.push(p);
      }
    }
    return pages;
  }

  /** Where it waits, it is read when its turn comes. */
  protected override has(range: Range): boolean {
    return this.waits ||
      this.missingPages(range.offset, range.nbytes).length === 0;
  }

  protected override find(offset: number, nbytes: number): Uint8Array | null {
    const missing = this.missingPages(offset, nbytes);
    if (missing.length > 0) {
      if (!this.waits) {
        return null;
      }
      this.readNow(missing[0]! * PAGE_NBYTES, offset + nbytes);
    }
    const out = new Uint8Array(nbytes);
    for (let done = 0; done < nbytes;) {
      const at = offset + done;
      const number = Math.floor(at / PAGE_NBYTES);
      const page = this.pages.get(number)!;
      const from = at - number * PAGE_NBYTES;
      const part = page.subarray(from, from + nbytes - done);
      out.set(part, done);
      done += part.length;
      // to the end: used last
      this.pages.delete(number);
      this.pages.set(number, page);
    }
    return out;
  }

  private readNow(offset: number, end: number): void {
    const stop = Math.min(this.size, Math.max(
      Math.ceil(end / PAGE_NBYTES) * PAGE_NBYTES, offset + AHEAD_NBYTES));
    const data = readRangeNow(this.url, this.identity, offset, stop - offset);
    this.count(data);
    this.trim();
    this.keep(offset, data);
  }

  private count(data: Uint8Array): void {
    this.traffic.requests++;
    this.traffic.bytes += data.length;
  }

  override async fetch(ranges: Range[], signal?: AbortSignal): Promise<void> {
    const pages = ranges.flatMap((r) => this.missingPages(r.offset, r.nbytes));
    const wanted = planFetch(pages, this.size);
    const failed = new AbortController();
    const either = signal ?
      AbortSignal.any([signal, failed.signal]) : failed.signal;
    const worker = async () => {
      for (let r = wanted.shift(); r; r = wanted.shift()) {
        const data = await fetchRange(this.url, this.identity, r.offset,
          r.nbytes, either);
        this.count(data);
        this.keep(r.offset, data);
      }
    };
    try {
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  }

  override trim(): void {
    const { all } = UrlStore;
    all.delete(this);
    all.add(this);
    let npages = [...all].reduce((n, store) => n + store.pages.size, 0);
    for (const { pages } of all) {
      for (const number of pages.keys()) {
        if (npages * PAGE_NBYTES <= KEPT_NBYTES) {
          return;
        }
        pages.delete(number);
        npages--;
      }
    }
  }

  override close(): void {
    UrlStore.all.delete(this);
  }
}
