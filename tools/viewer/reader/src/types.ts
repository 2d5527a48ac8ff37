/* SPDX-License-Identifier: MIT */
/** What callers of the reader see. */

/** External types of netCDF classic files, by their names in CDL. */
export type TypeName =
  | 'byte' | 'char' | 'short' | 'int' | 'float' | 'double'
  | 'ubyte' | 'ushort' | 'uint' | 'int64' | 'uint64';

export interface Attribute {
  name: string;
  type: TypeName;
  /**
   * Text, or all numbers.  NaN and infinities are numbers; integers beyond 2^53
   * are rounded.
   */
  value: string | number[];
}

export interface Dimension {
  name: string;
  length: number;
  unlimited: boolean;
}

export interface Variable {
  /** Its number in the header, from 0. */
  id: number;
  name: string;
  type: TypeName;
  /** Names of its dimensions, slowest first. */
  dimensions: string[];
  shape: number[];
  attributes: Attribute[];
  /**
   * Whether its values are times: units such as "days since 1990-01-01", in a
   * calendar that is known.
   */
  isTime: boolean;
}

/** What only an archive knows. */
export interface Archive {
  bytes: number;
  format: string;
  streams: number;
  blocks: number;
  /** SHA-256 of the original, hexadecimal. */
  sha256: string;
}

export interface FileInfo {
  /** Without directory, ".nc3z" and one more suffix: what CDL calls it. */
  name: string;
  /** "classic", "64-bit offset", "cdf5". */
  format: string;
  /** Bytes of the original, or of the plain file. */
  bytes: number;
  /** null: a plain netCDF classic file. */
  archive: Archive | null;
  dimensions: Dimension[];
  variables: Variable[];
  attributes: Attribute[];
  /** Why netCDF libraries refuse the original; "" if they do not. */
  refusal: string;
}

/** A part of a variable; what is left out is all of it. */
export interface Slab {
  start?: number[];
  count?: number[];
  stride?: number[];
}

export interface ReadOptions extends Slab {
  /**
   * Apply scale_factor and add_offset, and give NaN for missing values: the
   * result is a Float32Array (of byte, ubyte, short, ushort, float) or a
   * Float64Array.
   */
  unpack?: boolean;
  signal?: AbortSignal;
}

export type Values =
  | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array
  | Uint32Array | BigInt64Array | BigUint64Array | Float32Array | Float64Array;

export interface ReadResult {
  /** Row-major, in the type of the variable; text as bytes. */
  values: Values;
  count: number[];
  /** Values beyond the end of a truncated original: they are 0. */
  truncated: boolean;
}

/** What a read would cost. */
export interface ReadPlan {
  /** Blocks that hold the values. */
  blocks: number;
  /** Bytes to be fetched for those that are not decoded yet. */
  bytes: number;
}

/** How a variable is stored. */
export interface Storage {
  /** null: with the header and the rest. */
  stream: number | null;
  /** With other variables, in a group. */
  shared: boolean;
  blockBytes: number;
  blocks: number;
  /** Lengths of a chunk; none if the variable is not cut into chunks. */
  chunks: number[];
}

/** Where a block is, from the index alone. */
export interface BlockPlace {
  offset: number;
  storedBytes: number;
  rawBytes: number;
}

export interface BlockInfo extends BlockPlace {
  rawCrc: number;
  /** Filters in the order of encoding, then the codec. */
  coding: string;
}

export interface CheckOptions {
  /** Checksums of what is stored, without decoding it. */
  quick?: boolean;
  /** Bytes of the original and of the archive that are done. */
  onProgress?: (originalBytes: number, archiveBytes: number) => void;
  signal?: AbortSignal;
}

export interface CheckResult {
  /** Of the original; a full check has computed it. */
  sha256: string;
}

/** What was fetched so far. */
export interface Traffic {
  requests: number;
  bytes: number;
}

export type ErrorKind =
  /** Not reachable, or the server lets no other page read it (CORS). */
  | 'unreachable' | 'cors'
  /** The server said no: 404 and others. */
  | 'http'
  /** The server sends whole files only. */
  | 'no-ranges'
  /** Another file than when it was opened. */
  | 'changed'
  | 'damaged' | 'unsupported' | 'not-netcdf' | 'limit' | 'memory'
  | 'argument' | 'aborted' | 'closed' | 'internal';

/** Plain data, as it crosses from the worker. */
export interface ErrorData {
  kind: ErrorKind;
  message: string;
  /** The variable that was being read. */
  variable?: string;
  stream?: number;
  block?: number;
}

export class ReaderError extends Error implements ErrorData {
  override name = 'ReaderError';
  kind: ErrorKind;
  variable?: string;
  stream?: number;
  block?: number;

  constructor(data: ErrorData) {
    super(data.message);
    this.kind = data.kind;
    this.variable = data.variable;
    this.stream = data.stream;
    this.block = data.block;
  }
}

/** Values of one read: a tab has not more memory than that. */
const VALUES_NBYTES_MAX = 1 << 30;

export function checkNbytes(variable: string, nbytes: number): void {
  if (nbytes > VALUES_NBYTES_MAX) {
    throw new ReaderError({ kind: 'limit', variable,
      message: `variable ${variable}: ${(nbytes / 1e6).toFixed(0)} MB ` +
        'of values at once are too many for a browser; read less' });
  }
}

/** A file on this machine, its bytes, or its address. */
export type Source = Blob | ArrayBuffer | URL | string;
