/* SPDX-License-Identifier: MIT */
import { createContext, useContext } from 'react';

import type { Axes } from './data/axis';
import type { Opening } from './open';

/** What is open, for panes. */
export interface Opened extends Opening {
  axes: Axes;
}

export const OpenedContext = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedContext);
  if (!opened) {
    throw new Error('no file is open');
  }
  return opened;
}
