/* SPDX-License-Identifier: MIT */
/** Values as text: a line for each, with its place on the axes before it. */
import type { Slab, Variable } from '../../reader/src/index';
import type { Axis } from './axis';

/** Longer texts are no strings in a browser. */
const VALUES_MAX = 5e6;

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Numbers plain, dates quoted, nothing for what is missing. */
function placeOf(axis: Axis, i: number): string {
  const entry = axis.entry(i);
  return typeof entry === 'string' ? quoted(entry) :
    Number.isFinite(entry) ? String(entry) : '';
}

/** All axes of a variable, and values of a slab; missing ones are empty. */
export function csvOf(axes: Axis[], { start, count }:
  Required<Pick<Slab, 'start' | 'count'>>, name: string,
values: ArrayLike<number>): string {
  if (values.length > VALUES_MAX) {
    throw new Error(`${values.length.toLocaleString('en')} values are too ` +
      'many for CSV here: look closer, or take netCDF');
  }
  const lines = [[...axes.map((axis) => axis.name), name].map(quoted).join(',')];
  const at = count.map(() => 0);
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    lines.push([...axes.map((axis, dim) =>
      placeOf(axis, start[dim]! + at[dim]!)),
    Number.isFinite(value) ? value : ''].join(','));
    for (let dim = at.length - 1; dim >= 0; dim--) {
      at[dim]!++;
      if (at[dim]! < count[dim]!) {
        break;
      }
      at[dim] = 0;
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Rows of a text variable, with their indices before them. */
export function textCsvOf(variable: Variable, rows: string[]): string {
  const dims = variable.dimensions.slice(0, -1);
  const placeOf = (row: number) => dims.map((_, dim) => {
    const inner = variable.shape.slice(dim + 1, -1).reduce((a, b) => a * b, 1);
    return Math.floor(row / inner) % variable.shape[dim]!;
  });
  const lines = rows.map((text, row) => [...placeOf(row), quoted(text)]);
  return `${[[...dims, variable.name].map(quoted), ...lines]
    .map((line) => line.join(',')).join('\n')}\n`;
}
