/* SPDX-License-Identifier: MIT */
/** Values as text: a line for each, with its place on the axes before it. */
import type { Axis } from './axis';

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Numbers plain, dates quoted. */
const cell = (axis: Axis, i: number) => axis.kind === 'time' ?
  quoted(axis.text(i)) : String(axis.positions[i]);

/** 'values' run fastest along the last axis; missing ones are empty. */
export function csvOf(axes: Axis[], name: string, values: ArrayLike<number>):
  string {
  const lines = [[...axes.map((axis) => axis.name), name].map(quoted).join(',')];
  for (let at = 0; at < values.length; at++) {
    let rest = at;
    const places = axes.map(() => '');
    for (let dim = axes.length - 1; dim >= 0; dim--) {
      places[dim] = cell(axes[dim]!, rest % axes[dim]!.length);
      rest = Math.floor(rest / axes[dim]!.length);
    }
    const value = values[at]!;
    lines.push([...places, Number.isFinite(value) ? value : ''].join(','));
  }
  return `${lines.join('\n')}\n`;
}
