/* SPDX-License-Identifier: MIT */
/** What is shown, as a file. */
import { useState, type RefObject } from 'react';

import { useOpened } from '../context';
import { errorText, save } from '../format';
import { decimals } from '../numbers';
import { csvOf } from './csv';
import { extract } from './netcdf';
import type { Window } from './paint';
import { pictureOf } from './photo';
import type { Slice } from './slice';

/** The cells of an axis between two positions: the first, and how many. */
function cellsBetween(slice: Slice, name: 'x' | 'y', ends: [number, number]) {
  const axis = slice[name]!;
  const step = name === 'x' ? slice.stepX : slice.stepY;
  const [a, b] = ends.map((end) => axis.nearest(end) * step)
    .sort((p, q) => p - q);
  const dim = slice.mapping.indexOf(name);
  return { start: a!, count: Math.min(b! + step, slice.variable.shape[dim]!) -
    a! };
}

/** The slab that a window shows; without one, all of the slice. */
function slabOf(slice: Slice, window: Window | undefined) {
  const start = slice.mapping.map((m) => typeof m === 'number' ? m : 0);
  const count = slice.mapping.map((m, dim) =>
    typeof m === 'number' ? 1 : slice.variable.shape[dim]!);
  if (window && slice.y) {
    for (const [name, ends] of [['x', [window.left, window.right]],
      ['y', [window.bottom, window.top]]] as const) {
      const dim = slice.mapping.indexOf(name);
      ({ start: start[dim], count: count[dim] } =
        cellsBetween(slice, name, [...ends]));
    }
  }
  return { start, count };
}

export default function Saves({ slice, window, room }: { slice: Slice;
  window: Window | undefined; room: RefObject<HTMLElement> | null }) {
  const { file, axes, name } = useOpened();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { variable } = slice;
  const base = `${name.replace(/(\.nc)?(\.nc3z)?$/, '')}.${variable.name}`;

  const csv = async () => {
    const slab = slabOf(slice, window);
    const dims = variable.shape.map((_, dim) => dim);
    const [{ values }, ...all] = await Promise.all([
      file.read(variable.id, { ...slab, unpack: true }),
      ...dims.map((dim) => axes.axis(variable, dim))]);
    return csvOf(all, slab, variable.name, decimals(values as Float32Array));
  };
  const when = async (make: () => Promise<void>) => {
    setBusy(true);
    setError('');
    await make().catch((e: unknown) => setError(errorText(e)));
    setBusy(false);
  };
  return (
    <span className="saves">
      save{' '}
      <button type="button" disabled={isBusy} onClick={() => void when(
        async () => save(`${base}.csv`, await csv(), 'text/csv'))}>
        CSV</button>{' '}
      <button type="button" disabled={isBusy} onClick={() => void when(
        async () => save(`${base}.nc`,
          await extract(file, variable, slabOf(slice, window)),
          'application/x-netcdf'))}>netCDF</button>{' '}
      {room && (
        <button type="button" onClick={() => void when(async () =>
          save(`${base}.png`, await pictureOf(room.current!), 'image/png'))}>
          picture</button>
      )}
      {error && <span role="alert"> {error}</span>}
    </span>
  );
}
