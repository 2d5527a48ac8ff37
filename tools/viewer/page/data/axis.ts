/* SPDX-License-Identifier: MIT */
/** Axes of pictures: where the values of a dimension lie, and how they read. */
import type { NetcdfFile, Variable } from '../../reader/src/index';
import { decimals, degrees, degreeTicks, plain, ticks, type Tick }
  from '../numbers';
import { axesOf, textAttribute, titleOf, unitsOf } from '../variables';

type Kind = 'lon' | 'lat' | 'time' | 'number';

const isDegrees = (units: string) => /^(deg(rees?)?|\u00b0)?$/i.test(units);

export function kindOf(v: Variable): Kind {
  const units = textAttribute(v, 'units') ?? '';
  const name = textAttribute(v, 'standard_name') ?? '';
  if (v.isTime) {
    return 'time';
  }
  if (/^degrees?_?(n|north)$/i.test(units) || name === 'latitude' ||
      /^lat(itude)?$/i.test(v.name) && isDegrees(units)) {
    return 'lat';
  }
  return /^degrees?_?(e|east)$/i.test(units) || name === 'longitude' ||
    /^lon(gitude)?$/i.test(v.name) && isDegrees(units) ? 'lon' : 'number';
}

/** Depths and pressures grow downwards. */
function growsDown(v: Variable): boolean {
  return /^down$/i.test(textAttribute(v, 'positive') ?? '') ||
    /^(h?Pa|mb|mbar|millibars?)$/i.test(textAttribute(v, 'units') ?? '');
}

/** Longitudes that jump by a turn go on instead. */
function unwound(values: Float64Array): Float64Array {
  let turn = 0;
  return values.map((v, i) => {
    const before = values[i - 1]!;
    turn += v - before < -180 ? 360 : v - before > 180 ? -360 : 0;
    return v + turn;
  });
}

function isMonotonic(values: Float64Array): boolean {
  const up = values.length < 2 || values[1]! > values[0]!;
  return values.every((v, i) => Number.isFinite(v) && (i === 0 ||
    (up ? v > values[i - 1]! : v < values[i - 1]!)));
}

/** Half way between neighbours; outside as far as inside. */
function edgesOf(positions: Float64Array): Float64Array {
  const n = positions.length;
  return Float64Array.from({ length: n + 1 }, (_, i) => {
    if (n === 1) {
      return positions[0]! + i - 0.5;
    }
    const at = Math.min(Math.max(i, 1), n - 1);
    const middle = (positions[at - 1]! + positions[at]!) / 2;
    return i === at ? middle :
      2 * positions[i === 0 ? 0 : n - 1]! - middle;
  });
}

/** Dates of ticks: no time of day where the days differ. */
function shortDates(labels: string[]): string[] {
  const days = labels.map((label) => label.replace(/ .*$/, ''));
  return new Set(days).size === labels.length ? days : labels;
}

export class Axis {
  readonly positions: Float64Array;
  /** One more than positions; in the same order. */
  readonly edges: Float64Array;
  readonly kind: Kind | 'index';

  /** 'texts' are what values read like, where it is not their number. */
  constructor(readonly name: string, private readonly meaning: Kind | 'index',
    private readonly values: Float64Array, readonly title: string,
    private readonly units: string, private readonly texts: string[] | null,
    readonly isDown: boolean) {
    const whole = meaning === 'lon' ? unwound(values) : values;
    const lies = isMonotonic(whole);
    this.kind = lies ? meaning : 'index';
    this.texts ??= lies ? null : Array.from(values, (v) => this.read(v));
    this.positions = lies ? whole : values.map((_, i) => i);
    this.edges = edgesOf(this.positions);
    if (this.kind === 'lat') {
      this.edges = this.edges.map((v) => Math.min(Math.max(v, -90), 90));
    }
  }

  get length(): number {
    return this.positions.length;
  }

  get low(): number {
    return Math.min(this.edges[0]!, this.edges.at(-1)!);
  }

  get high(): number {
    return Math.max(this.edges[0]!, this.edges.at(-1)!);
  }

  /** Degrees, and anything else in one unit, have one scale on a map. */
  get scale(): string {
    return this.kind === 'lon' || this.kind === 'lat' ? 'degrees' :
      this.kind === 'index' ? 'index' :
        /^k?m(eters?|etres?)?$/i.test(this.units) ? this.units : this.name;
  }

  private read(value: number): string {
    return this.kind === 'lon' || this.kind === 'lat' ?
      degrees(value, this.kind) :
      plain(value) + (this.units ? ` ${this.units}` : '');
  }

  /** What a value reads like. */
  text(i: number): string {
    return this.texts?.[i] ?? this.read(this.positions[i]!);
  }

  /** What a program reads: a date, or the number in the file. */
  entry(i: number): string | number {
    return this.meaning === 'time' ? this.text(i) : this.values[i]!;
  }

  /** The cell that a position is in; -1: none. */
  cellAt(position: number): number {
    const { edges } = this;
    const up = edges.at(-1)! > edges[0]! ? 1 : -1;
    let [low, high] = [0, this.length];
    if ((position - edges[0]!) * up < 0 || (edges[high]! - position) * up < 0) {
      return -1;
    }
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      [low, high] = (position - edges[middle]!) * up >= 0 ?
        [middle, high] : [low, middle];
    }
    return low;
  }

  /** The cell nearest to a position. */
  nearest(position: number): number {
    const i = this.cellAt(Math.min(Math.max(position, this.low), this.high));
    return Math.max(i, 0);
  }

  /** At most about n marks between two positions. */
  ticks(low: number, high: number, n: number): Tick[] {
    if (!this.texts) {
      // there are no indices between two
      return this.kind === 'lon' || this.kind === 'lat' ?
        degreeTicks(low, high, n, this.kind) : this.kind === 'index' ?
          ticks(low, high, Math.max(1, Math.min(n, high - low)))
            .filter(({ at }) => Number.isInteger(at)) : ticks(low, high, n);
    }
    const [a, b] = [this.nearest(low), this.nearest(high)].sort((p, q) => p - q);
    const step = Math.max(1, Math.ceil((b! - a!) / Math.max(n - 1, 1)));
    const cells: number[] = [];
    for (let i = a!; i <= b!; i += step) {
      cells.push(i);
    }
    const labels = cells.map((i) => this.texts![i]!);
    return (this.kind === 'time' ? shortDates(labels) : labels)
      .map((text, i) => ({ at: this.positions[cells[i]!]!, text }));
  }
}

/** "2000-01-16 06" or "2000-01-16 06:00:0.25", with all parts. */
function fullTime(text: string): string {
  const [date, clock = '00'] = text.split(' ');
  const [hour, minute = '00', second = '0'] = clock.split(':');
  return /^(-?\d+-)?\d\d-\d\d$/.test(date!) ? `${date} ${hour}:${minute}:` +
    Number(second).toFixed(3).padStart(6, '0') : text;
}

/**
 * Times of an axis: only days if they begin all of them, and parts of seconds
 * only if these tell neighbours apart.
 */
function shortTimes(texts: string[]): string[] {
  const full = texts.map(fullTime);
  const seconds = full.map((text) => text.replace(/(:\d\d)\.\d{3}$/, '$1'));
  if (full.some((text, i) => i > 0 && text !== full[i - 1] &&
      seconds[i] === seconds[i - 1])) {
    return full;
  }
  const midnight = ' 00:00:00';
  return seconds.every((text) => text.endsWith(midnight)) ?
    seconds.map((text) => text.slice(0, -midnight.length)) :
    seconds.map((text) => text.replace(/(:\d\d):00$/, '$1'));
}

const indexAxis = (name: string, length: number, step: number) =>
  new Axis(name, 'index', Float64Array.from({ length }, (_, i) => i * step),
    name, '', null, false);

/** Axes of a file, read once. */
export class Axes {
  private readonly axes = new Map<string, Promise<Axis>>();

  constructor(readonly file: NetcdfFile) {}

  /** Of every step-th value of a dimension of a variable. */
  axis(variable: Variable, dim: number, step = 1): Promise<Axis> {
    const coordinate = axesOf(this.file.info, variable)[dim];
    const name = variable.dimensions[dim]!;
    const length = Math.ceil(variable.shape[dim]! / step);
    const key = `${coordinate?.id ?? ''} ${name} ${step} ${length}`;
    let promise = this.axes.get(key);
    if (!promise) {
      promise = coordinate ? this.read(coordinate, step) :
        Promise.resolve(indexAxis(name, length, step));
      this.axes.set(key, promise);
      promise.catch(() => this.axes.delete(key));
    }
    return promise;
  }

  private async read(coordinate: Variable, step: number): Promise<Axis> {
    const kind = kindOf(coordinate);
    const { values } = await this.file.read(coordinate.id,
      { unpack: true, start: [0], stride: [step] });
    const numbers = decimals(values as Float32Array);
    if (numbers.every(Number.isNaN)) {
      return indexAxis(coordinate.name, numbers.length, step);
    }
    const texts = kind === 'time' ? shortTimes(await this.file.times(
      coordinate.id, numbers)) : null;
    const units = kind === 'number' ? unitsOf(coordinate) : '';
    const title = kind === 'lon' ? 'longitude' : kind === 'lat' ? 'latitude' :
      titleOf(coordinate) + (units ? ` (${units})` : '');
    return new Axis(coordinate.name, kind, numbers, title, units, texts,
      growsDown(coordinate));
  }
}
