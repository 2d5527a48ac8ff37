/* SPDX-License-Identifier: MIT */
/**
 * What is shown as a netCDF classic file: variable, axes, all attributes.  Values
 * are those that are stored, packed or not.
 */
import type {
  Attribute, NetcdfFile, Slab, TypeName, Values, Variable,
} from '../../reader/src/index';
import { axesOf } from '../variables';

const TYPES: TypeName[] = ['byte', 'char', 'short', 'int', 'float', 'double',
  'ubyte', 'ushort', 'uint', 'int64', 'uint64'];
const WIDTHS: Record<TypeName, number> = { byte: 1, char: 1, short: 2, int: 4,
  float: 4, double: 8, ubyte: 1, ushort: 2, uint: 4, int64: 8, uint64: 8 };

const encoder = new TextEncoder();

/** Native numbers as big-endian bytes, of so many bytes each. */
function bigEndian(values: Values, width: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.buffer.slice(values.byteOffset,
    values.byteOffset + values.byteLength) as ArrayBuffer);
  for (let i = 0; width > 1 && i < bytes.length; i += width) {
    bytes.subarray(i, i + width).reverse();
  }
  return bytes;
}

/** Numbers of an attribute, in its type. */
function numbersOf(type: TypeName, values: number[]): Values {
  const integers = () => values.map((v) => BigInt(Math.trunc(v)));
  switch (type) {
    case 'byte': return Int8Array.from(values);
    case 'short': return Int16Array.from(values);
    case 'int': return Int32Array.from(values);
    case 'float': return Float32Array.from(values);
    case 'ushort': return Uint16Array.from(values);
    case 'uint': return Uint32Array.from(values);
    case 'int64': return BigInt64Array.from(integers());
    case 'uint64': return BigUint64Array.from(integers());
    case 'double': return Float64Array.from(values);
    default: return Uint8Array.from(values);
  }
}

/** A header that grows. */
class Header {
  readonly parts: Uint8Array<ArrayBuffer>[] = [];
  length = 0;

  /** CDF-5 has wide counts and all types, CDF-2 suffices for the others. */
  constructor(readonly isWide: boolean) {
    this.bytes(encoder.encode(isWide ? 'CDF\x05' : 'CDF\x02'));
  }

  bytes(part: Uint8Array<ArrayBuffer>): void {
    const whole = new Uint8Array(Math.ceil(part.length / 4) * 4);
    whole.set(part);
    this.parts.push(whole);
    this.length += whole.length;
  }

  number(value: number, width = this.isWide ? 8 : 4): void {
    const bytes = new Uint8Array(width);
    for (let i = width - 1, rest = value; i >= 0; i--) {
      bytes[i] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    this.bytes(bytes);
  }

  list(tag: number, count: number): void {
    this.number(count > 0 ? tag : 0, 4);
    this.number(count);
  }

  name(name: string): void {
    const text = encoder.encode(name);
    this.number(text.length);
    this.bytes(text);
  }

  attributes(list: Attribute[]): void {
    this.list(12, list.length);
    for (const { name, type, value } of list) {
      const bytes = typeof value === 'string' ? encoder.encode(value) :
        bigEndian(numbersOf(type, value), WIDTHS[type]);
      this.name(name);
      this.number(TYPES.indexOf(type) + 1, 4);
      this.number(bytes.length / WIDTHS[type]);
      this.bytes(bytes);
    }
  }
}

/** A variable of the new file, along some of its dimensions. */
interface Part {
  variable: Variable;
  dims: number[];
  values: Uint8Array<ArrayBuffer>;
}

/** The header, with values from 'begin' on. */
function headerOf(file: NetcdfFile, parts: Part[], dims: [string, number][],
  begin: number): Header {
  const header = new Header(file.info.format === 'cdf5');
  let at = begin;
  header.number(0);
  header.list(10, dims.length);
  dims.forEach(([name, length]) => {
    header.name(name);
    header.number(length);
  });
  header.attributes(file.info.attributes);
  header.list(11, parts.length);
  for (const { variable, dims: along, values } of parts) {
    const length = Math.ceil(values.length / 4) * 4;
    header.name(variable.name);
    header.number(along.length);
    along.forEach((dim) => header.number(dim));
    header.attributes(variable.attributes);
    header.number(TYPES.indexOf(variable.type) + 1, 4);
    header.number(length);
    header.number(at, 8);
    at += length;
  }
  return header;
}

/** A slab of a variable, after the coordinate variables of its dimensions. */
export async function extract(file: NetcdfFile, variable: Variable,
  { start, count }: Required<Pick<Slab, 'start' | 'count'>>): Promise<Blob> {
  if (new Set(variable.dimensions).size < variable.dimensions.length) {
    throw new Error(`${variable.name} has a dimension twice, which cannot be ` +
      'cut to two lengths in a netCDF file');
  }
  const parts: Part[] = [];
  const read = async (v: Variable, dims: number[]) => {
    const { values } = await file.read(v.id, {
      start: dims.map((dim) => start[dim]!),
      count: dims.map((dim) => count[dim]!) });
    parts.push({ variable: v, dims,
      values: bigEndian(values, WIDTHS[v.type]) });
  };
  for (const [dim, axis] of axesOf(file.info, variable).entries()) {
    if (axis && axis !== variable) {
      await read(axis, [dim]);
    }
  }
  await read(variable, variable.dimensions.map((_, dim) => dim));
  const dims = variable.dimensions.map((name, dim): [string, number] =>
    [name, count[dim]!]);
  const { length } = headerOf(file, parts, dims, 0);
  const body = new Header(false);
  parts.forEach(({ values }) => body.bytes(values));
  return new Blob([...headerOf(file, parts, dims, length).parts,
    ...body.parts.slice(1)], { type: 'application/x-netcdf' });
}
