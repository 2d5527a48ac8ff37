/* SPDX-License-Identifier: MIT */
/** Values to colours. */
import {
  interpolateBlues, interpolateCividis, interpolateGreys, interpolateInferno,
  interpolateRdBu, interpolateTurbo, interpolateViridis,
} from 'd3-scale-chromatic';

import { powers, ticks, type Tick } from '../numbers';

export const MAPS: Record<string, (part: number) => string> = {
  viridis: interpolateViridis,
  inferno: interpolateInferno,
  cividis: interpolateCividis,
  turbo: interpolateTurbo,
  blues: interpolateBlues,
  greys: interpolateGreys,
  'blue to red': (part) => interpolateRdBu(1 - part),
};

/** The colours that one begins with. */
const FIRST = 'viridis';

/** How values are coloured; what people choose. */
export interface Colours {
  map: string;
  reversed: boolean;
  log: boolean;
}

/** As they stand in the address: none for those. */
export const coloursText = ({ map, reversed, log }: Colours) => [
  ...map !== FIRST || reversed || log ? [map] : [],
  ...reversed ? ['reversed'] : [], ...log ? ['log'] : []].join(',');

export function parseColours(text = ''): Colours {
  const [map = '', ...rest] = text.split(',');
  return { map: Object.hasOwn(MAPS, map) ? map : FIRST,
    reversed: rest.includes('reversed'), log: rest.includes('log') };
}

export interface Scale {
  low: number;
  high: number;
  log: boolean;
}

export function colourAt(colours: Colours, part: number): string {
  return MAPS[colours.map]!(colours.reversed ? 1 - part : part);
}

const STEPS = 256;

/** As the pixels of an image, for parts 0 to 1 in 256 steps. */
export function tableOf(colours: Colours): Uint32Array {
  const canvas = new OffscreenCanvas(STEPS, 1);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  for (let i = 0; i < STEPS; i++) {
    context.fillStyle = colourAt(colours, i / (STEPS - 1));
    context.fillRect(i, 0, 1, 1);
  }
  return new Uint32Array(
    context.getImageData(0, 0, STEPS, 1).data.slice().buffer);
}

/** Where a value is between the limits; beyond them below 0 or above 1. */
export function partOf({ low, high, log }: Scale, value: number): number {
  if (!(high > low)) {
    return 0.5;
  }
  return log ? Math.log(value / low) / Math.log(high / low) :
    (value - low) / (high - low);
}

export function scaleTicks({ low, high, log }: Scale, n: number): Tick[] {
  return log ? powers(low, high) : ticks(low, high, n);
}
