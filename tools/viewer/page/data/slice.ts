/* SPDX-License-Identifier: MIT */
/** Values of one variable along one or two of its dimensions. */
import { useEffect, useState } from 'react';

import type { Slab, Variable } from '../../reader/src/index';
import type { Mapping } from '../address';
import { useOpened, type Opened } from '../context';
import { errorText, isAborted } from '../format';
import type { Axis } from './axis';

/** More are not drawn: no screen has so many, and a tab not the memory. */
const LENGTH_MAX = { map: 4096, line: 1 << 20 };

export interface Slice {
  variable: Variable;
  mapping: Mapping;
  x: Axis;
  /** null: a line. */
  y: Axis | null;
  values: Float32Array | Float64Array;
  /** Steps in values from one to the next. */
  dx: number;
  dy: number;
  /** Every step-th value is here. */
  stepX: number;
  stepY: number;
  low: number;
  high: number;
  /** The smallest above 0, for logarithms. */
  positive: number;
  missing: number;
}

/** The longest dimensions, the last ones among equals; longitude across. */
export function mappingOf(variable: Variable, axes: (string | null)[]): Mapping {
  const mapping: Mapping = variable.shape.map(() => 0);
  const long = variable.shape.map((_, dim) => dim)
    .filter((dim) => variable.shape[dim]! > 1);
  const lon = long.find((dim) => axes[dim] === 'lon');
  const lat = long.find((dim) => axes[dim] === 'lat');
  const [y, x] = lon !== undefined && lat !== undefined ?
    [lat, lon] : long.slice(-2);
  if (long.length === 0) {
    return mapping.map((_, dim) => dim === mapping.length - 1 ? 'x' : 0);
  }
  mapping[y!] = x === undefined ? 'x' : 'y';
  if (x !== undefined) {
    mapping[x] = 'x';
  }
  return mapping;
}

/** What a mapping reads; 'steps' by dimension. */
export function slabOf(variable: Variable, mapping: Mapping, steps: number[]):
  Required<Slab> {
  return {
    start: mapping.map((m) => typeof m === 'number' ? m : 0),
    count: mapping.map((m, dim) => typeof m === 'number' ? 1 :
      Math.ceil(variable.shape[dim]! / steps[dim]!)),
    stride: steps,
  };
}

function statistics(values: ArrayLike<number>) {
  let [low, high, positive, missing] = [Infinity, -Infinity, Infinity, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isFinite(value)) {
      low = value < low ? value : low;
      high = value > high ? value : high;
      positive = value > 0 && value < positive ? value : positive;
    } else {
      missing++;
    }
  }
  return { low, high, positive, missing };
}

async function readSlice({ file, axes }: Pick<Opened, 'file' | 'axes'>,
  variable: Variable, mapping: Mapping, signal: AbortSignal): Promise<Slice> {
  const max = mapping.includes('y') ? LENGTH_MAX.map : LENGTH_MAX.line;
  const steps = variable.shape.map((length, dim) =>
    typeof mapping[dim] === 'number' ? 1 : Math.ceil(length / max));
  const slab = slabOf(variable, mapping, steps);
  const dims = { x: mapping.indexOf('x'), y: mapping.indexOf('y') };
  const axis = (dim: number) => axes.axis(variable, dim, steps[dim]);
  // values first: announced together, they are the longest to wait for
  const reading = file.read(variable.id, { ...slab, unpack: true, signal });
  const [{ values }, x, y] = await Promise.all([reading, axis(dims.x),
    dims.y < 0 ? null : axis(dims.y)]);
  const strideOf = (dim: number) =>
    slab.count.slice(dim + 1).reduce((a, b) => a * b, 1);
  return {
    variable, mapping, x, y,
    values: values as Float32Array,
    dx: strideOf(dims.x),
    dy: dims.y < 0 ? 0 : strideOf(dims.y),
    stepX: steps[dims.x]!,
    stepY: steps[dims.y] ?? 1,
    ...statistics(values as Float32Array),
  };
}

/** The slice that is wanted, or the one before it while that is read. */
export function useSlice(variable: Variable, mapping: Mapping) {
  const { file, axes } = useOpened();
  const [slice, setSlice] = useState<Slice>();
  const [error, setError] = useState('');

  useEffect(() => {
    const stop = new AbortController();
    setError('');
    readSlice({ file, axes }, variable, mapping, stop.signal).then((read) => {
      if (!stop.signal.aborted) {
        setSlice(read);
      }
    }, (e: unknown) => {
      if (!stop.signal.aborted && !isAborted(e)) {
        setError(errorText(e));
      }
    });
    return () => stop.abort();
  }, [file, axes, variable, mapping]);
  const isNow = slice?.variable === variable && slice.mapping === mapping;
  return { slice: slice?.variable === variable ? slice : undefined, isNow,
    error };
}
