/* SPDX-License-Identifier: MIT */
/** The part of a map that is looked at; it stands in the address. */
import { useEffect, useState } from 'react';

import { numbersOf, readState, writeState } from '../address';
import { wholeWindow, type Window } from './paint';
import type { Slice } from './slice';
import { isWhole, windowOf } from './window';

const ENDS = ['left', 'bottom', 'right', 'top'] as const;

/** As many digits as can be seen. */
function endsText(window: Window): string {
  const digits = (a: number, b: number) =>
    Math.min(Math.max(3 - Math.floor(Math.log10(Math.abs(a - b))), 0), 20);
  return ENDS.map((end) => Number(window[end].toFixed(
    end === 'left' || end === 'right' ? digits(window.left, window.right) :
      digits(window.bottom, window.top)))).join(',');
}

/** undefined: all of the map; so it is, too, when other axes are chosen. */
export function useWindow(slice: Slice | undefined, axes: string) {
  const [zoom, setZoom] = useState(() =>
    ({ axes, ends: numbersOf(readState().window, ENDS.length) }));
  const whole = slice?.y && wholeWindow(slice);

  useEffect(() => {
    if (zoom.axes !== axes) {
      setZoom({ axes, ends: null });
      writeState({ window: '' });
    }
  }, [axes]);
  const setWindow = (window: Window) => {
    setZoom({ axes, ends: ENDS.map((end) => window[end]) });
    writeState({ window: whole && isWhole(window, whole) ? '' :
      endsText(window) });
  };
  const [left, bottom, right, top] = zoom.ends ?? [];
  return { setWindow, window: zoom.axes === axes && zoom.ends && whole ?
    windowOf({ left: left!, bottom: bottom!, right: right!, top: top! },
      whole) : undefined };
}
