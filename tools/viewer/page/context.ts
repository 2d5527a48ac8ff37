/* SPDX-License-Identifier: MIT */
import { createContext, useContext, useEffect, useState } from 'react';

import type { Coordinates } from '../provider/coordinates';
import { axesOf } from '../provider/coordinates';
import type { NetcdfFile, Variable } from '../reader/src/index';
import type { Mapping } from './view';

/** The open file, for panes and for what is put into H5Web. */
export interface Opened {
  file: NetcdfFile;
  coordinates: Coordinates;
  /** Shown to people. */
  name: string;
  isRemote: boolean;
  /** A point of a variable was clicked: indices of its dimensions. */
  onPoint: (variable: Variable, point: number[]) => void;
}

export const OpenedContext = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedContext);
  if (!opened) {
    throw new Error('no file is open');
  }
  return opened;
}

/** What the cut dimensions of a variable stand at: "time = 1990-01-16". */
export function useSliceLabels(varid: number | undefined, mapping: Mapping):
  { dimension: string; text: string }[] {
  const opened = useContext(OpenedContext);
  const [labels, setLabels] = useState<{ dimension: string; text: string }[]>([]);
  const key = JSON.stringify([varid, mapping]);

  useEffect(() => {
    const variable = opened?.file.info.variables[varid ?? -1];
    let wanted = true;
    if (!opened || !variable || variable.shape.length !== mapping.length) {
      setLabels([]);
      return undefined;
    }
    const axes = axesOf(opened.file.info, variable);
    void Promise.all(mapping.map(async (at, dim) => {
      if (typeof at !== 'number') {
        return null;
      }
      const axis = axes[dim];
      const text = axis ?
        (await opened.coordinates.label(axis).catch(() => []))[at] : undefined;
      return { dimension: variable.dimensions[dim]!, text: text ?? String(at) };
    })).then((list) => {
      if (wanted) {
        setLabels(list.filter((label) => label !== null));
      }
    });
    return () => {
      wanted = false;
    };
  }, [opened, key]);
  return labels;
}
