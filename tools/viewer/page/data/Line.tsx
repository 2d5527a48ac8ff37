/* SPDX-License-Identifier: MIT */
/** One line over an axis. */
import {
  useEffect, useState, type KeyboardEvent, type MouseEvent, type PointerEvent,
} from 'react';

import { plain, ticks } from '../numbers';
import type { Axis } from './axis';
import { AxisBelow, AxisLeft, roomOf, type Box } from './frame';

interface Props {
  values: ArrayLike<number>;
  axis: Axis;
  name: string;
  title: string;
  units: string;
  width: number;
  height: number;
  /** Where the line stands while nobody looks elsewhere. */
  at?: number;
  /** Somebody clicks there, or presses Enter. */
  onAt?: (at: number) => void;
}

function limitsOf(values: ArrayLike<number>): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) {
      low = Math.min(low, values[i]!);
      high = Math.max(high, values[i]!);
    }
  }
  return low > high ? null : low < high ? [low, high] :
    [low - (Math.abs(low) || 1) / 10, high + (Math.abs(high) || 1) / 10];
}

/** Through what is there; gaps where values are missing. */
function pathOf(values: ArrayLike<number>, x: (i: number) => number,
  y: (v: number) => number): string {
  let path = '';
  let pen = 'M';
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) {
      path += `${pen}${x(i).toFixed(1)},${y(values[i]!).toFixed(1)}`;
      pen = 'L';
    } else {
      pen = 'M';
    }
  }
  return path;
}

/** Values side by side with none between them, which no path shows. */
function dots(values: ArrayLike<number>): number[] {
  const all = Array.from({ length: values.length }, (_, i) => i)
    .filter((i) => Number.isFinite(values[i]));
  return all.length <= 200 ? all : all.filter((i) =>
    !Number.isFinite(values[i - 1]) && !Number.isFinite(values[i + 1]))
    .slice(0, 2000);
}

/** What is looked at by pointer or keys; else what the line stands at. */
function useCursor({ axis, at, onAt }: Props, box: Box,
  positionAt: (px: number) => number) {
  const [looked, setLooked] = useState<number>();
  const last = axis.length - 1;
  const shown = Math.min(looked ?? at ?? 0, last);
  const to = (i: number) => setLooked(Math.min(Math.max(i, 0), last));
  const leave = () => at !== undefined && setLooked(undefined);
  const cellUnder = (e: MouseEvent<SVGElement>) => axis.nearest(positionAt(
    e.clientX - e.currentTarget.getBoundingClientRect().left - box.left));
  useEffect(() => setLooked(undefined), [at]);
  const keys: Record<string, number> = {
    ArrowLeft: shown - 1, ArrowDown: shown - 1, ArrowRight: shown + 1,
    ArrowUp: shown + 1, PageDown: shown - 10, PageUp: shown + 10, Home: 0,
    End: last,
  };
  return {
    shown,
    onKeyDown(e: KeyboardEvent) {
      if (e.key in keys) {
        to(keys[e.key]!);
      } else if (e.key === 'Enter') {
        onAt?.(shown);
      } else {
        return;
      }
      e.preventDefault();
    },
    onClick: (e: MouseEvent<SVGElement>) => onAt?.(cellUnder(e)),
    onPointerLeave: leave,
    onBlur: leave,
    onPointerMove: (e: PointerEvent<SVGElement>) => to(cellUnder(e)),
  };
}

export default function Line(props: Props) {
  const { values, axis, name, title, units, width, height } = props;
  const found = limitsOf(values);
  const [low, high] = found ?? [0, 1];
  const [first, last] = [axis.low, axis.high];
  const vertical = ticks(low, high, Math.max(2, Math.floor(height / 60)));
  const left = roomOf(vertical);
  const box: Box = { left, top: 10, width: Math.max(width - left - 16, 40),
    height: Math.max(height - 56, 40) };
  const across = (at: number) =>
    box.left + (at - first) / (last - first) * box.width;
  const x = (i: number) => across(axis.positions[i]!);
  const y = (v: number) => box.top + (high - v) / (high - low) * box.height;
  const { shown, ...handlers } = useCursor(props, box, (px) =>
    first + px / box.width * (last - first));
  const value = values[shown]!;
  const text = `${axis.text(shown)}: ${plain(value)}` +
    (Number.isFinite(value) && units ? ` ${units}` : '');
  if (!found) {
    return <p role="status">All values here are missing.</p>;
  }
  return (
    <figure className="line">
      <svg width={width} height={height} role="slider" tabIndex={0}
        aria-label={`Values of ${name}`} aria-valuemin={1}
        aria-valuemax={axis.length} aria-valuenow={shown + 1}
        aria-valuetext={text} {...handlers}>
        {vertical.map(({ at }) => (
          <line key={at} className="grid" x1={box.left}
            x2={box.left + box.width} y1={y(at)} y2={y(at)} />
        ))}
        <AxisLeft box={box} ticks={vertical} place={y}
          title={title + (units ? ` (${units})` : '')} />
        <AxisBelow box={box} width={width} title={axis.title} place={across}
          ticks={axis.ticks(first, last, Math.max(2,
            Math.floor(box.width / (axis.kind === 'time' ? 110 : 70))))} />
        <path d={pathOf(values, x, y)} />
        {dots(values).map((i) => (
          <circle key={i} cx={x(i)} cy={y(values[i]!)} r={2.5} />
        ))}
        {[shown, props.at ?? shown].map((i, k) => (
          <line key={k} className={k === 0 ? 'looked' : 'cursor'} x1={x(i)}
            x2={x(i)} y1={box.top} y2={box.top + box.height} />
        ))}
      </svg>
      <figcaption><output data-testid="value">{text}</output></figcaption>
    </figure>
  );
}
