/* SPDX-License-Identifier: MIT */
/** Looking closer at a map: windows of it, by mouse, fingers and keys. */
import type { Window } from './paint';

/** No closer than this part of the whole. */
const CLOSEST = 1 / 5000;

/** Two ends, moved so that they stay between others. */
function within([from, to]: [number, number], [first, last]: [number, number]):
  [number, number] {
  const turn = last < first ? -1 : 1;
  const span = Math.min((to - from) * turn, (last - first) * turn);
  const start = Math.min(Math.max(from * turn, first * turn),
    last * turn - span);
  return [start * turn, (start + span) * turn];
}

function inside(window: Window, whole: Window): Window {
  const [left, right] = within([window.left, window.right],
    [whole.left, whole.right]);
  const [bottom, top] = within([window.bottom, window.top],
    [whole.bottom, whole.top]);
  return { left, right, bottom, top };
}

/** Closer by a factor; what is at (x, y), 0 to 1 from top left, stays. */
export function zoomed(window: Window, whole: Window, factor: number,
  [x, y]: [number, number]): Window {
  const { left, right, bottom, top } = window;
  const part = Math.max((right - left) / factor / (whole.right - whole.left),
    CLOSEST) * (whole.right - whole.left) / (right - left);
  const [px, py] = [left + x * (right - left), top + y * (bottom - top)];
  return inside({
    left: px + (left - px) * part, right: px + (right - px) * part,
    bottom: py + (bottom - py) * part, top: py + (top - py) * part,
  }, whole);
}

/** A window of a map, if it is one that could be looked at. */
export function windowOf(window: Window, whole: Window): Window | undefined {
  const parts = [(window.right - window.left) / (whole.right - whole.left),
    (window.top - window.bottom) / (whole.top - whole.bottom)];
  return parts.every((part) => part > CLOSEST / 2 && Number.isFinite(part)) ?
    inside(window, whole) : undefined;
}

/** Moved by parts of its width and height. */
export function moved(window: Window, whole: Window, [x, y]: [number, number]):
  Window {
  const dx = x * (window.right - window.left);
  const dy = y * (window.bottom - window.top);
  return inside({ left: window.left + dx, right: window.right + dx,
    bottom: window.bottom + dy, top: window.top + dy }, whole);
}

/** Whether it shows all. */
export function isWhole(window: Window, whole: Window): boolean {
  return window.left === whole.left && window.right === whole.right &&
    window.bottom === whole.bottom && window.top === whole.top;
}
