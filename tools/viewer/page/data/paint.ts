/* SPDX-License-Identifier: MIT */
/** Pixels of maps. */
import type { Axis } from './axis';
import type { Lines } from './coast';
import { partOf, type Scale } from './colours';
import type { Slice } from './slice';

/** Positions at the edges of a picture; top may be below bottom. */
export interface Window {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export function wholeWindow({ x, y }: Slice): Window {
  return {
    left: x.low,
    right: x.high,
    bottom: y!.isDown ? y!.high : y!.low,
    top: y!.isDown ? y!.low : y!.high,
  };
}

/** The cell that each of n pixels between two positions shows. */
function cellsOf(axis: Axis, from: number, to: number, n: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) =>
    axis.cellAt(from + (i + 0.5) / n * (to - from)));
}

/** Missing values stay as they are: the ground shows. */
export function paint(context: CanvasRenderingContext2D, slice: Slice,
  window: Window, scale: Scale, table: Uint32Array): void {
  const { width, height } = context.canvas;
  const { values, dx, dy } = slice;
  const columns = cellsOf(slice.x, window.left, window.right, width);
  const rows = cellsOf(slice.y!, window.top, window.bottom, height);
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let j = 0, at = 0; j < height; j++) {
    const row = rows[j]!;
    for (let i = 0; i < width; i++, at++) {
      const column = columns[i]!;
      const value = row < 0 || column < 0 ? NaN :
        values[row * dy + column * dx]!;
      if (Number.isFinite(value)) {
        const part = Math.round(255 * partOf(scale, value));
        // what has no logarithm is below all that have
        pixels[at] = table[part > 0 ? Math.min(part, 255) : 0]!;
      }
    }
  }
  context.putImageData(image, 0, 0);
}

/** Pixels that a line may leave out: most points of a whole globe. */
const FINE = 1.5;

/** Lines in degrees, wherever the window is in turns of longitude. */
export function drawCoast(context: CanvasRenderingContext2D,
  lines: Lines, window: Window): void {
  const { width, height } = context.canvas;
  const across = width / (window.right - window.left);
  const down = height / (window.bottom - window.top);
  context.beginPath();
  const first = Math.floor((window.left + 180) / 360);
  const last = Math.floor((window.right + 180) / 360);
  for (let turn = first; turn <= last; turn++) {
    const left = window.left - 360 * turn;
    for (const line of lines) {
      let [lastX, lastY] = [Infinity, Infinity];
      for (let i = 0; i < line.length; i += 2) {
        const x = (line[i]! - left) * across;
        const y = (line[i + 1]! - window.top) * down;
        if (i === 0) {
          context.moveTo(x, y);
        } else if (Math.abs(x - lastX) + Math.abs(y - lastY) >= FINE ||
            i === line.length - 2) {
          context.lineTo(x, y);
        } else {
          continue;
        }
        [lastX, lastY] = [x, y];
      }
    }
  }
  context.lineJoin = 'round';
  // to be seen on dark and on light; thin where the map is small
  const thin = Math.min(Math.max(width / devicePixelRatio / 800, 0.4), 1);
  for (const [style, thick] of [['rgb(255 255 255 / 50%)', 2.5],
    ['rgb(0 0 0 / 90%)', 1]] as const) {
    context.strokeStyle = style;
    context.lineWidth = thick * thin * devicePixelRatio;
    context.stroke();
  }
}
