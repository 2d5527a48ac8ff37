/* SPDX-License-Identifier: MIT */
/** Numbers on pictures: round steps, plain digits, degrees. */

/** Where there is something to read, and how it reads. */
export interface Tick {
  at: number;
  text: string;
}

const SUPERSCRIPTS = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';

export function superscript(n: number): string {
  return (n < 0 ? '\u207b' : '') + [...String(Math.abs(n))]
    .map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
}

const power = (exponent: number) => `10${superscript(exponent)}`;

/** True minus signs; powers of ten where zeros would have to be counted. */
function written(value: number, digits: (v: number) => string): string {
  const size = Math.abs(value);
  if (size >= 1e7 || size > 0 && size < 1e-4) {
    const exponent = Math.floor(Math.log10(size));
    const front = Number((value / 10 ** exponent).toPrecision(6));
    return `${String(front).replace('-', '\u2212')}\u00d7${power(exponent)}`;
  }
  return digits(value).replace('-', '\u2212');
}

/** Whole numbers have all their digits, as they may be names or times. */
export const rounded = (value: number) =>
  Number.isSafeInteger(value) ? value : Number(value.toPrecision(7));

/** A number for reading. */
export function plain(value: number): string {
  return !Number.isFinite(value) ? 'missing' : Number.isSafeInteger(value) ?
    String(value).replace('-', '\u2212') :
    written(value, (v) => String(rounded(v)));
}

/** Of a float, the number with fewest digits that is the same float: 0.1. */
export function shortest(value: number): number {
  for (const digits of [6, 7, 8]) {
    const round = Number(value.toPrecision(digits));
    if (Math.fround(round) === value) {
      return round;
    }
  }
  return Number(value.toPrecision(9));
}

/** Floats and doubles as numbers for people. */
export function decimals(values: ArrayLike<number>): Float64Array {
  return values instanceof Float32Array ?
    Float64Array.from(values, shortest) : Float64Array.from(values);
}

/** The smallest round step that cuts a span into at most n parts. */
function stepOf(span: number, n: number): number {
  const unit = 10 ** Math.floor(Math.log10(span / n));
  return [1, 2, 5, 10].map((k) => k * unit).find((step) => span / step <= n) ??
    span;
}

function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-6);
  const n = Math.floor(high / step + 1e-6) - first + 1;
  return Array.from({ length: Math.min(Math.max(n, 0), 1000) },
    (_, i) => Number(((first + i) * step).toPrecision(15)));
}

/** Round numbers between two, all with the digits that tell them apart. */
export function ticks(low: number, high: number, n: number): Tick[] {
  if (!(high > low) || !Number.isFinite(high - low)) {
    return Number.isFinite(low) ? [{ at: low, text: plain(low) }] : [];
  }
  const step = stepOf(high - low, n);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const digits = (v: number) => v.toFixed(Math.min(decimals, 20));
  // more of them than written() leaves
  const isFine = Math.max(-low, high) / step >= 1e5;
  return multiples(low, high, step).map((at) => ({ at, text: isFine ?
    digits(at).replace('-', '\u2212') : written(at, digits) }));
}

/** Powers of ten, for logarithmic scales. */
export function powers(low: number, high: number): Tick[] {
  const list: Tick[] = [];
  const last = Math.floor(Math.log10(high) + 1e-9);
  for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= last; e++) {
    list.push({ at: 10 ** e, text: e >= -3 && e <= 5 ?
      String(Number((10 ** e).toPrecision(3))) : power(e) });
  }
  return list.length > 1 ? list : ticks(low, high, 5);
}

const LETTERS = { lon: ['E', 'W'], lat: ['N', 'S'] } as const;

/** 200 -> 160°W; with as many digits as are needed. */
export function degrees(value: number, kind: 'lon' | 'lat'): string {
  const turned = kind === 'lon' ? (value + 540) % 360 - 180 : value;
  const round = Number(turned.toPrecision(7));
  const isPlain = round === 0 || kind === 'lon' && Math.abs(round) === 180;
  return `${Math.abs(round)}\u00b0${isPlain ? '' :
    LETTERS[kind][round < 0 ? 1 : 0]}`;
}

export function degreeTicks(low: number, high: number, n: number,
  kind: 'lon' | 'lat'): Tick[] {
  const least = (high - low) / n;
  const step = least > 10 && [15, 30, 45, 60, 90].find((s) => s >= least) ||
    stepOf(high - low, n);
  return multiples(low, high, step)
    .map((at) => ({ at, text: degrees(at, kind) }));
}
