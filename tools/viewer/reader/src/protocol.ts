/* SPDX-License-Identifier: MIT */
/** What goes between a page and the worker. */
import type { Identity } from './http';
import type {
  BlockInfo, BlockPlace, CheckResult, ErrorData, FileInfo, ReadOptions,
  ReadPlan, ReadResult, Slab, Storage, Traffic,
} from './types';

export interface Calls {
  open: { argument: { source: Blob | ArrayBuffer | string; path: string };
    result: { file: number; info: FileInfo; identity: Identity | null } };
  close: { argument: { file: number }; result: void };
  header: { argument: { file: number }; result: Uint8Array };
  read: { argument: { file: number; varid: number;
    options: Omit<ReadOptions, 'signal'> }; result: ReadResult };
  plan: { argument: { file: number; varid: number; slab: Slab };
    result: ReadPlan };
  storage: { argument: { file: number; varid: number };
    result: Storage | null };
  blocks: { argument: { file: number; stream: number }; result: BlockPlace[] };
  block: { argument: { file: number; stream: number; block: number };
    result: BlockInfo };
  times: { argument: { file: number; varid: number;
    values: ArrayLike<number> }; result: string[] };
  traffic: { argument: { file: number }; result: Traffic };
  check: { argument: { source: Blob | ArrayBuffer | string;
    identity: Identity | null; quick: boolean }; result: CheckResult };
}

export type CallName = keyof Calls;

export type Request =
  | { number: number; call: CallName; argument: unknown }
  | { number: number; call: 'abort' };

export type Reply =
  | { number: number; result: unknown }
  | { number: number; error: ErrorData }
  | { number: number; progress: [number, number] };
