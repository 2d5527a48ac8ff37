/* SPDX-License-Identifier: MIT */
/** Longitudes and latitudes that are variables of the dimensions of a map. */
import { useEffect, useState } from 'react';

import type { Variable } from '../../reader/src/index';
import { useOpened } from '../context';
import { degrees } from '../numbers';
import { textAttribute } from '../variables';
import { kindOf } from './axis';
import type { Slice } from './slice';

const KINDS = ['lon', 'lat'] as const;

/** Those that 'coordinates' names and that have the shape of the map. */
function variablesOf(all: Variable[], { variable, mapping }: Slice):
  Variable[] | null {
  const names = (textAttribute(variable, 'coordinates') ?? '').split(/\s+/);
  const dims = variable.dimensions.filter((_, dim) =>
    typeof mapping[dim] === 'string').sort().join(' ');
  const found = KINDS.map((kind) => all.find((v) => names.includes(v.name) &&
    v.dimensions.length === 2 && kindOf(v) === kind &&
    [...v.dimensions].sort().join(' ') === dims));
  return found.every((v) => v !== undefined) ? found : null;
}

/** Read once, when they are wanted first: the place of a cell in x and y. */
export function useCoordinates(slice: Slice, isWanted: boolean):
  (cell: [number, number]) => string[] {
  const { file } = useOpened();
  const { variable, mapping, stepX, stepY } = slice;
  const found = variablesOf(file.info.variables, slice);
  const x = variable.dimensions[mapping.indexOf('x')]!;
  const key = found ? [...found.map((v) => v.id), x, stepX, stepY].join(' ') : '';
  const [read, setRead] = useState<{ key: string; all: ArrayLike<number>[] }>();
  const isRead = read?.key === key;

  useEffect(() => {
    if (!isWanted || !found || isRead) {
      return undefined;
    }
    let isCurrent = true;
    Promise.all(found.map((v) => file.read(v.id, { unpack: true,
      start: [0, 0], stride: v.dimensions.map((d) => d === x ? stepX : stepY) })))
      .then((all) => isCurrent && setRead({ key,
        all: all.map(({ values }) => values as Float32Array) }), () => {});
    return () => {
      isCurrent = false;
    };
  }, [file, key, isWanted, isRead]);
  return ([i, j]) => !isRead || !found ? [] : KINDS.flatMap((kind, k) => {
    const at = found[k]!.dimensions[1] === x ? i + j * slice.x.length :
      j + i * slice.y!.length;
    const value = read.all[k]![at]!;
    return Number.isFinite(value) ? [`${kind} ${degrees(value, kind)}`] : [];
  });
}
