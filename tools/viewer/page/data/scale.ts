/* SPDX-License-Identifier: MIT */
/** Limits of colours: taken once, they stay while the steps change. */
import { useEffect, useMemo, useState } from 'react';

import { numbersOf, readState, writeState } from '../address';
import type { Scale } from './colours';
import type { Slice } from './slice';

export interface Limits {
  low: number;
  high: number;
}

type Range = Pick<Slice, 'low' | 'high' | 'positive'>;

/** Of the first picture along two axes, and of all pictures along them. */
interface Ranges {
  axes: string;
  taken: Range;
  seen: Range;
}

const limitsText = ({ low, high }: Limits) =>
  [low, high].map((v) => Number(v.toPrecision(6))).join(',');

function limitsOfAddress(): Limits | undefined {
  const [low, high] = numbersOf(readState().limits, 2) ?? [];
  return low === undefined ? undefined : { low, high: high! };
}

const rangeOf = ({ low, high, positive }: Range): Range =>
  ({ low, high, positive });

function withSlice(before: Ranges | undefined, slice: Slice):
  Ranges | undefined {
  const axes = `${slice.mapping.indexOf('x')} ${slice.mapping.indexOf('y')}`;
  if (slice.low > slice.high) {
    return before;
  }
  const { seen } = before ?? {};
  return before?.axes !== axes || !seen ?
    { axes, taken: rangeOf(slice), seen: rangeOf(slice) } :
    { ...before, seen: { low: Math.min(slice.low, seen.low),
      high: Math.max(slice.high, seen.high),
      positive: Math.min(slice.positive, seen.positive) } };
}

export function useScale(slice: Slice | undefined, log: boolean) {
  const [typed, setTyped] = useState(limitsOfAddress);
  const [ranges, setRanges] = useState<Ranges>();

  useEffect(() => {
    if (slice) {
      setRanges((before) => withSlice(before, slice));
    }
  }, [slice]);
  const taken = ranges?.taken ?? slice;
  const limits = typed ?? (taken && taken.low <= taken.high ? taken :
    { low: 0, high: 1 });
  const positive = taken?.positive ?? Infinity;
  const own = slice && slice.low <= slice.high ? slice : undefined;
  const text = limitsText(limits);
  const isOwn = !own || text === limitsText(own);

  useEffect(() => {
    if (slice) {
      writeState({ limits: isOwn ? '' : text });
    }
  }, [slice, isOwn, text]);
  const scale = useMemo<Scale>(() => {
    const [low, high] = [Math.min(limits.low, limits.high),
      Math.max(limits.low, limits.high)];
    return log && high > 0 && (low > 0 || positive < high) ?
      { low: low > 0 ? low : positive, high, log } : { low, high, log: false };
  }, [limits.low, limits.high, positive, log]);
  const take = (range: Range | undefined) => {
    setTyped(undefined);
    setRanges((before) => range && before && { ...before, taken: range });
  };
  const seen = ranges?.seen;
  return { scale, limits, setTyped,
    /** To those of this picture. */
    fit: () => take(own ? rangeOf(own) : seen),
    /** To those of all so far, if they do not fit. */
    widen: seen && (seen.low < scale.low || seen.high > scale.high) ?
      () => take(seen) : undefined };
}
