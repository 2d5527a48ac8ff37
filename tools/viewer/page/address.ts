/* SPDX-License-Identifier: MIT */
/** What of the page stands in its address, so that a link shows the same. */

/** For each dimension of a variable: an axis, or the index it is cut at. */
export type Mapping = (number | 'x' | 'y')[];

/** "3,y,x" */
export function sliceText(mapping: Mapping): string {
  return mapping.join(',');
}

/** A mapping, if it is one for these lengths. */
export function parseSlice(text: string | undefined, shape: number[]):
  Mapping | null {
  const parts = text?.split(',') ?? [];
  const once = (axis: string) => parts.filter((p) => p === axis).length <= 1;
  const fits = parts.length === shape.length && once('x') && once('y') &&
    (parts.includes('x') || !parts.includes('y')) &&
    parts.every((part, dim) => part === 'x' || part === 'y' ||
      /^\d{1,10}$/.test(part) && Number(part) < shape[dim]!);
  return fits ? parts.map((part) =>
    part === 'x' || part === 'y' ? part : Number(part)) : null;
}

/** Variable, slice, pane, and the indices of a point of the variable. */
export interface State {
  variable?: string;
  slice?: string;
  pane?: string;
  point?: string;
}

const KEYS = { variable: 'v', slice: 's', pane: 'p', point: 'at' } as const;

export function readState(): State {
  const from = new URLSearchParams(location.hash.slice(1));
  const state: State = {};
  for (const [name, key] of Object.entries(KEYS)) {
    state[name as keyof State] = from.get(key) ?? undefined;
  }
  return state;
}

export function writeState(change: State): void {
  const state = { ...readState(), ...change };
  const to = new URLSearchParams();
  for (const [name, key] of Object.entries(KEYS)) {
    const value = state[name as keyof State];
    if (value !== undefined && value !== '') {
      to.set(key, value);
    }
  }
  // commas may stand in a fragment, and read better there
  const text = to.toString().replaceAll('%2C', ',');
  const hash = text ? `#${text}` : '';
  if (hash !== location.hash) {
    history.replaceState(null, '', location.pathname + location.search + hash);
  }
}
