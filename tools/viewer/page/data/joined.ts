/* SPDX-License-Identifier: MIT */
/**
 * Files that are one series in time, as one file: their records follow each
 * other.  All else is that of the first.
 */
import {
  checkNbytes, type NetcdfFile, type ReadOptions, type ReadPlan,
  type ReadResult, type Slab, type Values, type Variable,
} from '../../reader/src/index';
import type { DataFile, DataInfo, Part, Refused } from '../context';
import { errorText } from '../format';
import { textAttribute } from '../variables';

/** A file, and where its records are in the series. */
interface Piece {
  part: Part;
  first: number;
  count: number;
  /** What is added to its times, by variable. */
  shifts: Map<string, number>;
  /** Of the coordinate of the record dimension; null: there is none. */
  ends: [number, number] | null;
}

/** Attributes that say what stored values mean, which are those of a type. */
const PACKING = new Set(['scale_factor', 'add_offset', '_FillValue',
  'missing_value', 'valid_min', 'valid_max', 'valid_range']);

const SMALL = new Set(['byte', 'ubyte', 'short', 'ushort', 'float']);

const recordOf = ({ info }: NetcdfFile) =>
  info.dimensions.find((dimension) => dimension.unlimited);

const packingOf = (v: Variable) => JSON.stringify([v.type,
  ...v.attributes.filter(({ name }) => PACKING.has(name))]);

/** What an error in a file says must say which. */
async function named<T>({ name }: Part, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && error.name !== 'AbortError') {
      error.message = `${name}: ${error.message}`;
    }
    throw error;
  }
}

/** What a file has in common with others of its series. */
class Model {
  private readonly places = new Map<string, Values>();

  constructor(readonly part: Part, readonly record: string) {}

  get info() {
    return this.part.file.info;
  }

  private async hasSamePlaces({ file }: Part, name: string): Promise<boolean> {
    const mine = this.places.get(name) ??
      (await this.part.file.read(name)).values;
    this.places.set(name, mine);
    const { values } = await file.read(name);
    return values.length === mine.length &&
      mine.every((v, i) => Object.is(v, values[i]));
  }

  /** What is added to times; bounds have those that they are the bounds of. */
  private async shiftOf(mine: Variable, { file }: Part): Promise<number | null> {
    const own = mine.isTime ? mine : this.info.variables.find((v) => v.isTime &&
      [textAttribute(v, 'bounds'), textAttribute(v, 'climatology')]
        .includes(mine.name));
    const theirs = file.info.variables.find((v) => v.name === own?.name);
    return own && theirs?.isTime ?
      this.part.file.timeShift(own.name, file, own.name) : null;
  }

  /** Why a variable of another file is not the same; '' if it is. */
  private async difference(mine: Variable, part: Part, shifts: Piece['shifts']):
    Promise<string> {
    const { name, dimensions, shape } = mine;
    const theirs = part.file.info.variables.find((v) => v.name === name)!;
    const isRecord = dimensions[0] === this.record;
    if (String(theirs.dimensions) !== String(dimensions) || theirs.shape.some(
      (length, dim) => length !== shape[dim] && !(isRecord && dim === 0))) {
      return `${name} has other dimensions than`;
    }
    if ((theirs.type === 'char') !== (mine.type === 'char')) {
      return `${name} is ${theirs.type}, and ${mine.type}`;
    }
    const shift = await this.shiftOf(mine, part);
    shifts.set(name, shift ?? 0);
    const [units, other] = [mine, theirs].map((v) => textAttribute(v, 'units'));
    if (mine.isTime !== theirs.isTime ||
        (mine.isTime ? shift === null || !isRecord && shift !== 0 :
          units !== other)) {
      return `the units of ${name} are ${JSON.stringify(other)}` +
        `${mine.isTime ? ' or in another calendar' : ''}, and ` +
        JSON.stringify(units);
    }
    const isPlace = !isRecord && String(dimensions) === name;
    return isPlace && !await this.hasSamePlaces(part, name) ?
      `${name} has other values than` : '';
  }

  /** A file as a piece, not yet in its place; throws why it is none. */
  async pieceOf(part: Part): Promise<Piece> {
    const record = recordOf(part.file);
    if (record?.name !== this.record) {
      throw new Error(record ? `its record dimension is ${record.name}, and ` +
        `${this.record} in ${this.part.name}` : 'it has no record dimension');
    }
    if (record.length === 0) {
      throw new Error('it has no records');
    }
    const names = [this.part, part].map(({ file }) =>
      file.info.variables.map((v) => v.name));
    const odd = names[0]!.find((name) => !names[1]!.includes(name)) ??
      names[1]!.find((name) => !names[0]!.includes(name));
    if (odd !== undefined) {
      throw new Error(`the variable ${odd} is not both here and in ` +
        this.part.name);
    }
    const shifts: Piece['shifts'] = new Map();
    for (const variable of this.info.variables) {
      const why = await this.difference(variable, part, shifts);
      if (why) {
        throw new Error(`${why} in ${this.part.name}`);
      }
    }
    return { part, first: 0, count: record.length, shifts,
      ends: await this.endsOf(part, record.length, shifts) };
  }

  /** The coordinate variable of the record dimension, if there is one. */
  get coordinate(): Variable | undefined {
    return this.info.variables.find((v) => v.name === this.record &&
      String(v.dimensions) === this.record && v.type !== 'char');
  }

  private async endsOf({ file }: Part, length: number,
    shifts: Piece['shifts']): Promise<Piece['ends']> {
    if (!this.coordinate) {
      return null;
    }
    const shift = shifts.get(this.record) ?? 0;
    const [first, last] = await Promise.all([0, length - 1].map(async (at) =>
      Number((await file.read(this.record,
        { start: [at], count: [1], unpack: true })).values[0]) + shift));
    return [first!, last!];
  }

  /** Where a piece begins and ends, as people read it. */
  async endsText({ ends }: Piece): Promise<string> {
    const texts = this.coordinate!.isTime ?
      await this.part.file.times(this.record, ends!) : ends!.map(String);
    return `from ${texts[0]} to ${texts[1]}`;
  }
}

/** In the order of their coordinate; what does not follow is refused. */
async function inOrder(model: Model, pieces: Piece[], refused: Refused[]):
  Promise<Piece[]> {
  if (!model.coordinate) {
    return pieces;
  }
  pieces.sort((a, b) => a.ends![0] - b.ends![0]);
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const before = kept.at(-1);
    const [first, last] = piece.ends!;
    if (first <= last && !(before && before.ends![1] >= first)) {
      kept.push(piece);
    } else {
      refused.push({ name: piece.part.name,
        why: `its ${model.record} goes ${await model.endsText(piece)}` +
          (before ? `, and ${await model.endsText(before)} in ` +
            `${before.part.name}: they do not follow each other` :
            ', which is no order') });
    }
  }
  return kept;
}

/** "sst.1981", "sst.1990" -> "sst.1981-1990" */
function nameOf(first: string, last: string): string {
  let n = 0;
  while (n < first.length && first[n] === last[n]) {
    n++;
  }
  const common = first.slice(0, n).replace(/[A-Za-z0-9]*$/, '');
  return `${first}-${last.slice(common.length)}`;
}

class Joined implements DataFile {
  readonly info: DataInfo;
  /** Variables that are not stored alike in all files: they are unpacked. */
  private readonly unlike = new Set<string>();

  constructor(private readonly model: Model,
    private readonly pieces: Piece[]) {
    const { info } = model;
    const archives = pieces.flatMap(({ part }) => part.file.info.archive ?? []);
    this.info = { ...info,
      archive: archives.length < pieces.length ? null : {
        bytes: archives.reduce((n, { bytes }) => n + bytes, 0) },
      bytes: pieces.reduce((n, { part }) => n + part.file.info.bytes, 0),
      name: nameOf(pieces[0]!.part.file.info.name,
        pieces.at(-1)!.part.file.info.name),
      variables: info.variables.map((v) => this.variableOf(v)),
    };
  }

  private variableOf(variable: Variable): Variable {
    const { name, shape, dimensions, attributes } = variable;
    if (dimensions[0] !== this.model.record) {
      return variable;
    }
    const last = this.pieces.at(-1)!;
    const long = { ...variable,
      shape: [last.first + last.count, ...shape.slice(1)] };
    const all = this.pieces.map(({ part }) =>
      part.file.info.variables.find((v) => v.name === name)!);
    const isShifted = this.pieces.some(({ shifts }) => shifts.get(name));
    if (!isShifted && all.every((v) => packingOf(v) === packingOf(variable))) {
      return long;
    }
    this.unlike.add(name);
    return { ...long,
      type: !isShifted && all.every((v) => SMALL.has(v.type)) ?
        'float' : 'double',
      attributes: attributes.filter((a) => !PACKING.has(a.name)) };
  }

  /** The files that hold records of a slab, with their part of it. */
  private partsOf(slab: Slab, [length]: number[]) {
    const start = slab.start?.[0] ?? 0;
    const stride = slab.stride?.[0] ?? 1;
    const count = slab.count?.[0] ?? Math.ceil((length! - start) / stride);
    const others = (list: number[] | undefined, n: number) =>
      list && [n, ...list.slice(1)];
    return this.pieces.flatMap((piece) => {
      const { first, count: nrecords } = piece;
      const from = Math.max(0, Math.ceil((first - start) / stride));
      const to = Math.min(count, Math.ceil((first + nrecords - start) / stride));
      return from < to ? [{ piece, slab: { ...slab,
        start: others(slab.start, start + from * stride - first),
        count: others(slab.count, to - from) } }] : [];
    });
  }

  async read(id: number, options: ReadOptions = {}): Promise<ReadResult> {
    const variable = this.info.variables[id]!;
    const { name, dimensions, shape, type } = variable;
    if (dimensions[0] !== this.model.record) {
      return named(this.model.part, this.model.part.file.read(name, options));
    }
    const isUnlike = this.unlike.has(name);
    const list: ReadResult[] = [];
    let nbytes = 0;
    for (const { piece, slab } of this.partsOf(options, shape)) {
      const result = await named(piece.part, piece.part.file.read(name,
        { ...slab, unpack: isUnlike || options.unpack,
          signal: options.signal }));
      const shift = piece.shifts.get(name);
      list.push(shift ? { ...result,
        values: Float64Array.from(result.values as Float64Array,
          (v) => v + shift) } : result);
      checkNbytes(name, nbytes += list.at(-1)!.values.byteLength);
    }
    const make = isUnlike ? (type === 'float' ? Float32Array : Float64Array) :
      list[0]!.values.constructor as Float64ArrayConstructor;
    return {
      values: concatenated(make, list.map(({ values }) => values)),
      count: [list.reduce((n, { count }) => n + count[0]!, 0),
        ...list[0]!.count.slice(1)],
      truncated: list.some(({ truncated }) => truncated),
    };
  }

  async plan(id: number, slab: Slab = {}): Promise<ReadPlan> {
    const { name, dimensions, shape } = this.info.variables[id]!;
    if (dimensions[0] !== this.model.record) {
      return this.model.part.file.plan(name, slab);
    }
    const all = { blocks: 0, bytes: 0 };
    for (const { piece: { part }, slab: own } of this.partsOf(slab, shape)) {
      const { blocks, bytes } = await named(part, part.file.plan(name, own));
      all.blocks += blocks;
      all.bytes += bytes;
    }
    return all;
  }

  async times(id: number, values: ArrayLike<number>): Promise<string[]> {
    return this.model.part.file.times(id, values);
  }
}

function concatenated(make: Float32ArrayConstructor | Float64ArrayConstructor,
  list: Values[]): Values {
  if (list.length === 1 && list[0] instanceof make) {
    return list[0];
  }
  const all = new make(list.reduce((n, { length }) => n + length, 0));
  let at = 0;
  for (const values of list as Float64Array[]) {
    all.set(values, at);
    at += values.length;
  }
  return all;
}

/** The series that files are, without those that are not of it. */
export async function join(parts: Part[], refused: Refused[]):
  Promise<{ file: DataFile; parts: Part[] }> {
  const first = parts.find(({ file }) => recordOf(file)?.length);
  if (!first) {
    throw new Error(`${parts[0]!.name}: there are no records, along which ` +
      'files could be joined');
  }
  const model = new Model(first, recordOf(first.file)!.name);
  const pieces: Piece[] = [];
  for (const part of parts) {
    try {
      pieces.push(await model.pieceOf(part));
    } catch (error) {
      refused.push({ name: part.name, why: errorText(error) });
    }
  }
  const series = await inOrder(model, pieces, refused);
  let at = 0;
  for (const piece of series) {
    piece.first = at;
    at += piece.count;
  }
  return { file: series.length > 1 ? new Joined(model, series) : first.file,
    parts: series.map(({ part }) => part) };
}
