/* SPDX-License-Identifier: MIT */
import { createContext, useContext } from 'react';

import type { NetcdfFile } from '../reader/src/index';
import type { Axes } from './data/axis';

/** The open file, for panes. */
export interface Opened {
  file: NetcdfFile;
  axes: Axes;
  /** Shown to people. */
  name: string;
  isRemote: boolean;
}

export const OpenedContext = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedContext);
  if (!opened) {
    throw new Error('no file is open');
  }
  return opened;
}
