/* SPDX-License-Identifier: MIT */
/** A map: cells in colours, with axes, a bar, and what is under the pointer. */
import {
  useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent,
  type RefObject,
} from 'react';

import { plain, type Tick } from '../numbers';
import { titleOf, unitsOf } from '../variables';
import type { Lines } from './coast';
import { tableOf, type Colours, type Scale } from './colours';
import { useCoordinates } from './coordinates';
import { AxisBelow, AxisLeft, ColourBar, roomOf, type Box } from './frame';
import { useGestures, type Place } from './gestures';
import { drawCoast, paint, wholeWindow, type Window } from './paint';
import type { Slice } from './slice';
import { isWhole, moved, zoomed } from './window';

/** Indices in x and y. */
export type Cell = [number, number];

interface Props {
  slice: Slice;
  scale: Scale;
  colours: Colours;
  coast: Lines | null;
  /** Room for all of the picture. */
  width: number;
  height: number;
  window: Window;
  onWindow: (window: Window) => void;
  pin: Cell | null;
  onPin: (cell: Cell) => void;
}

/** Below a map: its axis, the bar, the axis of that. */
const BELOW = 44 + 12 + 44;
const TOP = 8;

/** Width by height of cells that are as wide as high; 0: they need not be. */
function ratioOf({ x, y }: Slice): number {
  const ratio = (x.high - x.low) / (y!.high - y!.low);
  return x.scale === y!.scale && ratio > 1 / 3 && ratio < 4 ? ratio : 0;
}

function boxOf(slice: Slice, width: number, height: number, left: number): Box {
  const ratio = ratioOf(slice);
  const room = { width: Math.max(width - left - 16, 40),
    height: Math.max(height - BELOW - TOP, 60) };
  const plot = !ratio ? room : {
    width: Math.min(room.width, room.height * ratio),
    height: Math.min(room.height, room.width / ratio) };
  return { left: left + (room.width - plot.width) / 2, top: TOP, ...plot };
}

function readingOf(slice: Slice, [column, row]: Cell): string[] {
  const { variable, x, y, values, dx, dy } = slice;
  const value = values[column * dx + row * dy]!;
  return [`${plain(value)} ${Number.isFinite(value) ? unitsOf(variable) : ''}`,
    `${x.name} ${x.text(column)}`, `${y!.name} ${y!.text(row)}`];
}

/** Beside a place, on the side that has room; inside of the plot. */
function Reading({ lines, at, box }: { lines: string[]; at: Place; box: Box }) {
  const output = useRef<HTMLOutputElement>(null);

  useLayoutEffect(() => {
    const { offsetWidth, offsetHeight, style } = output.current!;
    const beside = (part: number, room: number, size: number) => {
      const place = Math.min(Math.max(part, 0), 1) * room;
      const after = place + 12;
      return Math.max(after + size <= room ? after :
        Math.min(place - 12, room) - size, 0);
    };
    style.left = `${beside(at[0], box.width, offsetWidth)}px`;
    style.top = `${beside(at[1], box.height, offsetHeight)}px`;
  });
  return (
    <output className="reading" data-testid="reading" ref={output}>
      {lines.map((line, i) => <span key={i}>{line}</span>)}
    </output>
  );
}

function useCanvas({ slice, scale, colours, coast, window }: Props, box: Box) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const table = useMemo(() => tableOf(colours), [colours]);
  const dots = devicePixelRatio;

  useLayoutEffect(() => {
    // by the processor: coastlines took seconds where no graphics card is
    const context = canvas.current!.getContext('2d',
      { willReadFrequently: true })!;
    canvas.current!.width = Math.round(box.width * dots);
    canvas.current!.height = Math.round(box.height * dots);
    paint(context, slice, window, scale, table);
    if (coast) {
      drawCoast(context, coast, window);
    }
  }, [slice, scale, table, coast, window, box.width, box.height, dots]);
  return canvas;
}

/** The cell under a pointer or chosen by arrows, and what is done with it. */
function useCell(props: Props, plot: RefObject<HTMLDivElement>) {
  const { slice, window, onWindow, onPin } = props;
  const { x, y } = slice;
  const [cell, setCell] = useState<Cell | null>(null);
  const whole = wholeWindow(slice);

  const placeOf = ([i, j]: Cell): Place => [
    (x.positions[i]! - window.left) / (window.right - window.left),
    (y!.positions[j]! - window.top) / (window.bottom - window.top)];
  const cellAt = ([px, py]: Place): Cell | null => {
    const i = x.cellAt(window.left + px * (window.right - window.left));
    const j = y!.cellAt(window.top + py * (window.bottom - window.top));
    return i < 0 || j < 0 ? null : [i, j];
  };
  const zoom = (factor: number, at: Place = [0.5, 0.5]) =>
    onWindow(zoomed(window, whole, factor, at));
  const gestures = useGestures(plot, {
    onLook: (place) => setCell(place && cellAt(place)),
    onMove: (by) => onWindow(moved(window, whole, by)),
    onZoom: zoom,
    onClick(place) {
      const clicked = cellAt(place);
      if (clicked) {
        onPin(clicked);
      }
    },
  });
  useEffect(() => setCell(null), [slice.variable]);

  const onKeyDown = (e: KeyboardEvent) => {
    const at = cell ?? cellAt([0.5, 0.5]) ?? [0, 0];
    const right = x.edges[1]! > x.edges[0]! ? 1 : -1;
    const up = (y!.edges[1]! > y!.edges[0]!) === (window.top > window.bottom) ?
      1 : -1;
    const step = ({ ArrowLeft: [-right, 0], ArrowRight: [right, 0],
      ArrowUp: [0, up], ArrowDown: [0, -up] } as Record<string, Cell>)[e.key];
    if (step) {
      const to = (i: number, n: number) => Math.min(Math.max(i, 0), n - 1);
      setCell([to(at[0] + step[0], x.length), to(at[1] + step[1], y!.length)]);
    } else if (e.key === '+' || e.key === '-') {
      zoom(e.key === '+' ? 1.5 : 1 / 1.5, placeOf(at));
    } else if (e.key === '0') {
      onWindow(whole);
    } else if (e.key === 'Enter') {
      onPin(at);
    } else {
      return;
    }
    e.preventDefault();
  };
  return { cell, placeOf, zoom, whole,
    handlers: { ...gestures, onKeyDown } };
}

const isInside = (place: Place) => place.every((part) => part >= 0 && part <= 1);

/** Its axes and its bar. */
function Frame({ props, box, ticksY }: { props: Props; box: Box;
  ticksY: Tick[] }) {
  const { slice, scale, colours, width, window } = props;
  const { x, y, variable } = slice;
  const units = unitsOf(variable);
  const ticksX = x.ticks(window.left, window.right,
    Math.max(2, Math.floor(box.width / (x.kind === 'time' ? 110 : 70))));
  return (
    <svg width={width} height={box.top + box.height + BELOW}
      aria-hidden="true">
      <rect className="border" x={box.left} y={box.top} width={box.width}
        height={box.height} />
      <AxisBelow box={box} width={width} ticks={ticksX} title={x.title}
        place={(at) => box.left + (at - window.left) /
          (window.right - window.left) * box.width} />
      <AxisLeft box={box} ticks={ticksY} title={y!.title}
        place={(at) => box.top + (at - window.top) /
          (window.bottom - window.top) * box.height} />
      <ColourBar box={{ ...box, top: box.top + box.height + 48, height: 12 }}
        width={width} colours={colours} scale={scale}
        title={titleOf(variable) + (units ? ` (${units})` : '')} />
    </svg>
  );
}

export default function Field(props: Props) {
  const { slice, width, height, window, pin } = props;
  const plot = useRef<HTMLDivElement>(null);
  const ticksY = slice.y!.ticks(Math.min(window.bottom, window.top),
    Math.max(window.bottom, window.top), Math.max(2, Math.floor(height / 70)));
  const box = boxOf(slice, width, height, roomOf(ticksY));
  const pictureHeight = box.top + box.height + BELOW;
  const canvas = useCanvas(props, box);
  const { cell, placeOf, zoom, whole, handlers } = useCell(props, plot);
  const { onWindow } = props;
  const marked = pin && placeOf(pin);
  const looked = cell && placeOf(cell);
  const placeNames = useCoordinates(slice, cell !== null);
  return (
    <div className="picture" style={{ width, height: pictureHeight }}>
      <Frame props={props} box={box} ticksY={ticksY} />
      <div className="plot" ref={plot} role="application" tabIndex={0}
        aria-label={`Map of ${slice.variable.name}: arrows move, Enter gives ` +
          'the series, + and - zoom, 0 shows all'} {...handlers}
        style={{ left: box.left, top: box.top, width: box.width,
          height: box.height }}>
        <canvas ref={canvas} />
        {marked && isInside(marked) && <i className="pin" style={{
          left: `${100 * marked[0]}%`, top: `${100 * marked[1]}%` }} />}
        {looked && (
          <Reading lines={[...readingOf(slice, cell),
            ...placeNames(cell)]} at={looked} box={box} />
        )}
      </div>
      <div className="zoom" style={{ left: box.left + 6, top: box.top + 6 }}>
        <button type="button" aria-label="Closer"
          onClick={() => zoom(1.5)}>+</button>
        <button type="button" aria-label="Farther"
          disabled={isWhole(window, whole)}
          onClick={() => zoom(1 / 1.5)}>{'\u2212'}</button>
        {!isWhole(window, whole) && (
          <button type="button" aria-label="All"
            onClick={() => onWindow(whole)}>{'\u2922'}</button>
        )}
      </div>
    </div>
  );
}
