/* SPDX-License-Identifier: MIT */
/** What H5Web shows at the moment, and what of it stands in the address. */
import { useSyncExternalStore } from 'react';

export type Mapping = (number | 'x' | 'y' | null)[];

export interface View {
  /** The variable that is drawn; undefined: none yet. */
  varid?: number;
  /** For each of its dimensions: an axis, or the index it is cut at. */
  mapping: Mapping;
}

let view: View = { mapping: [] };
const listeners = new Set<() => void>();

export function setView(change: Partial<View>): void {
  view = { ...view, ...change };
  listeners.forEach((listener) => listener());
}

export function getView(): View {
  return view;
}

export function useView(): View {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getView);
}

/** "3,:,:" */
export function sliceOf(mapping: Mapping): string {
  return mapping.map((m) => typeof m === 'number' ? m : ':').join(',');
}

/** The state of the page: variable, slice, pane, point. */
export interface State {
  variable?: string;
  slice?: string;
  pane?: string;
  /** Indices of a point, in the order of its variable's dimensions. */
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
  // commas and colons may stand in a fragment, and read better there
  const text = to.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  const hash = text ? `#${text}` : '';
  if (hash !== location.hash) {
    history.replaceState(null, '', location.pathname + location.search + hash);
  }
}
