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

/** Finite numbers, if a text is so many. */
export function numbersOf(text: string | undefined, n: number):
  number[] | null {
  const numbers = text?.split(',').map((part) => part ? Number(part) : NaN);
  return numbers?.length === n && numbers.every(Number.isFinite) ?
    numbers : null;
}

/**
 * Variable, slice, pane, the indices of a point of the variable; and where they
 * are not what the page would take: colours, their limits, coastlines, and the
 * part of the map.
 */
export interface State {
  variable?: string;
  slice?: string;
  pane?: string;
  point?: string;
  colours?: string;
  limits?: string;
  coast?: string;
  window?: string;
}

const KEYS = { variable: 'v', slice: 's', pane: 'p', point: 'at', colours: 'c',
  limits: 'l', coast: 'coast', window: 'z' } as const;

/** Browsers refuse more changes of an address than these in 10 seconds. */
const WRITES_MAX = 30;
let writes: number[] = [];
/** What is still to be written: null where nothing is. */
let waiting: string | null = null;

function write(hash: string): void {
  if (hash !== location.hash) {
    writes.push(Date.now());
    history.replaceState(null, '', location.pathname + location.search + hash);
  }
}

function writeSoon(hash: string): void {
  writes = writes.filter((at) => at > Date.now() - 10_000);
  if (waiting !== null) {
    waiting = hash;
  } else if (writes.length < WRITES_MAX) {
    write(hash);
  } else {
    waiting = hash;
    setTimeout(() => {
      if (waiting !== null) {
        write(waiting);
      }
      waiting = null;
    }, 1000);
  }
}

/** Calls when somebody else has changed it: a link, Back, or who types. */
export function whenChanged(call: () => void): () => void {
  const changed = () => {
    waiting = null;
    call();
  };
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function readState(): State {
  const from = new URLSearchParams((waiting ?? location.hash).slice(1));
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
  writeSoon(text ? `#${text}` : '');
}

/** For another file: only the colours and coastlines stay. */
export function leaveFile(): void {
  const { colours = '', coast = '' } = readState();
  history.replaceState(null, '', location.pathname + location.hash);
  writeState({ ...Object.fromEntries(Object.keys(KEYS).map((key) =>
    [key, ''])), colours, coast });
}
