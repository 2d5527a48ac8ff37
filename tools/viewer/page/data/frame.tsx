/* SPDX-License-Identifier: MIT */
/** What stands around a picture: axes with their marks, the bar of colours. */
import type { Tick } from '../numbers';
import { colourAt, partOf, scaleTicks, type Colours, type Scale }
  from './colours';

/** A plot on its picture, in pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Between two labels, so that none meets its neighbour. */
const LETTER = 7;

/** Labels that fit beside each other, at these places. */
function fitting(ticks: Tick[], place: (tick: Tick) => number): Tick[] {
  let end = -Infinity;
  return ticks.map((tick) => ({ tick, at: place(tick) }))
    .sort((a, b) => a.at - b.at)
    .filter(({ tick, at }) => {
      const half = tick.text.length * LETTER / 2;
      const fits = at - half > end;
      end = fits ? at + half + LETTER : end;
      return fits;
    }).map(({ tick }) => tick);
}

/** Keeps a label inside of the picture. */
function clamped(at: number, text: string, width: number): number {
  const half = text.length * LETTER / 2;
  return Math.min(Math.max(at, half), Math.max(width - half, half));
}

export function AxisBelow({ box, width, ticks, place, title }: { box: Box;
  width: number; ticks: Tick[]; place: (at: number) => number;
  title: string }) {
  const base = box.top + box.height;
  return (
    <g className="axis">
      {fitting(ticks, (t) => place(t.at)).map(({ at, text }) => (
        <g key={at}>
          <line x1={place(at)} x2={place(at)} y1={base} y2={base + 5} />
          <text x={clamped(place(at), text, width)} y={base + 18}
            textAnchor="middle">{text}</text>
        </g>
      ))}
      <text className="title" x={box.left + box.width / 2} y={base + 36}
        textAnchor="middle">{title}</text>
    </g>
  );
}

export function AxisLeft({ box, ticks, place, title }: { box: Box;
  ticks: Tick[]; place: (at: number) => number; title: string }) {
  const middle = box.top + box.height / 2;
  return (
    <g className="axis">
      {ticks.map(({ at, text }) => (
        <g key={at}>
          <line x1={box.left - 5} x2={box.left} y1={place(at)} y2={place(at)} />
          <text x={box.left - 8} y={place(at) + 4} textAnchor="end">{text}</text>
        </g>
      ))}
      <text className="title" textAnchor="middle"
        transform={`translate(${box.left - roomOf(ticks) + 13} ${middle}) ` +
          'rotate(-90)'}>{title}</text>
    </g>
  );
}

const PIECES = 64;

/** Below its map, as wide as that. */
export function ColourBar({ box, width, colours, scale, title }: { box: Box;
  width: number; colours: Colours; scale: Scale; title: string }) {
  const place = (at: number) => box.left + box.width * partOf(scale, at);
  return (
    <g data-testid="bar">
      {Array.from({ length: PIECES }, (_, i) => (
        <rect key={i} x={box.left + i * box.width / PIECES} y={box.top}
          width={box.width / PIECES + 0.7} height={box.height}
          fill={colourAt(colours, i / (PIECES - 1))} />
      ))}
      <AxisBelow box={box} width={width} place={place} title={title}
        ticks={scaleTicks(scale, Math.max(3, Math.floor(box.width / 80)))} />
    </g>
  );
}

/** How far the labels of a vertical axis reach. */
export function roomOf(ticks: Tick[]): number {
  return 28 + LETTER * Math.max(2, ...ticks.map((t) => t.text.length));
}
