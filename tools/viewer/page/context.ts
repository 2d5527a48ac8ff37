/* SPDX-License-Identifier: MIT */
import { createContext, useContext } from 'react';

import type { FileInfo, NetcdfFile } from '../reader/src/index';
import type { Axes } from './data/axis';

/** What is known of a file, or of several that are one series. */
export type DataInfo = Omit<FileInfo, 'archive'> &
  { archive: { bytes: number } | null };

/** What the Data pane needs: one file, or several that are one series. */
export interface DataFile extends
  Pick<NetcdfFile, 'read' | 'plan' | 'times'> {
  readonly info: DataInfo;
}

/** One file. */
export interface Part {
  file: NetcdfFile;
  source: Blob | string;
  name: string;
}

/** A file that is not shown, as it is not of the series. */
export interface Refused {
  name: string;
  why: string;
}

/** What is open, for panes. */
export interface Opened {
  file: DataFile;
  axes: Axes;
  /** Shown to people. */
  name: string;
  nfiles: number;
  /** The file that all panes but Data are about. */
  part: Part;
}

export const OpenedContext = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedContext);
  if (!opened) {
    throw new Error('no file is open');
  }
  return opened;
}
