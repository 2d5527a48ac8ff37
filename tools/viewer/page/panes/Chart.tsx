/** One line over an axis: a series at a point. */
import { useState } from 'react';

interface Props {
  values: ArrayLike<number>;
  labels: string[];
  name: string;
  units: string;
  /** The dimension that it is a series along. */
  along: string;
}

const WIDTH = 1000;
const HEIGHT = 345;
const LEFT = 90;
const BOTTOM = 65;

/** Round numbers between two bounds. */
export function ticks(low: number, high: number, n: number): number[] {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / n));
  const step = [1, 2, 5, 10].map((k) => k * power)
    .find((s) => span / s <= n)!;
  const list: number[] = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step / 1e6; t += step) {
    list.push(Number(t.toPrecision(12)));
  }
  return list;
}

/** Lines through what is there; gaps where values are missing. */
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

/** Without seconds that have parts: a tick is about where, not exactly when. */
const tickOf = (label: string) => label.replace(/:\d+\.\d+$/, '');

export default function Chart({ values, labels, name, units, along }: Props) {
  const [at, setAt] = useState(0);
  const finite = Array.from(values).filter(Number.isFinite);
  if (finite.length === 0) {
    return <p role="status">All values here are missing.</p>;
  }
  let low = finite.reduce((a, b) => Math.min(a, b));
  let high = finite.reduce((a, b) => Math.max(a, b));
  if (low === high) {
    [low, high] = [low - 1, high + 1];
  }
  const n = values.length;
  const x = (i: number) => LEFT + (n > 1 ? i / (n - 1) : 0.5) * (WIDTH - LEFT - 10);
  const y = (v: number) =>
    10 + (high - v) / (high - low) * (HEIGHT - BOTTOM - 20);
  const shown = Math.min(at, n - 1);
  const value = values[shown]!;
  const text = `${labels[shown]}: ` + (Number.isFinite(value) ?
    `${Number(value.toPrecision(7))} ${units}` : 'missing');
  const keys: Record<string, number> = {
    ArrowLeft: shown - 1, ArrowDown: shown - 1, ArrowRight: shown + 1,
    ArrowUp: shown + 1, PageDown: shown - 10, PageUp: shown + 10, Home: 0,
    End: n - 1,
  };
  return (
    <figure>
      <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="slider"
        tabIndex={0} aria-label={`Values of ${name}`} aria-valuemin={1}
        aria-valuemax={n} aria-valuenow={shown + 1} aria-valuetext={text}
        onKeyDown={(e) => {
          if (e.key in keys) {
            setAt(Math.min(Math.max(keys[e.key]!, 0), n - 1));
            e.preventDefault();
          }
        }}
        onPointerMove={(e) => {
          const box = e.currentTarget.getBoundingClientRect();
          const px = (e.clientX - box.left) / box.width * WIDTH;
          const part = (px - LEFT) / (WIDTH - LEFT - 10);
          setAt(Math.min(Math.max(Math.round(part * (n - 1)), 0), n - 1));
        }}>
        {ticks(low, high, 6).map((t) => (
          <g key={t} className="tick">
            <line x1={LEFT} x2={WIDTH - 10} y1={y(t)} y2={y(t)} />
            <text x={LEFT - 8} y={y(t) + 5} textAnchor="end">{t}</text>
          </g>
        ))}
        {n > 1 && [0, Math.floor((n - 1) / 2), n - 1].map((i, k) => (
          <text key={k} x={x(i)} y={HEIGHT - 37}
            textAnchor={['start', 'middle', 'end'][k] as 'start'}>
            {n > 2 || k !== 1 ? tickOf(labels[i]!) : ''}
          </text>
        ))}
        <text className="title" x={(LEFT + WIDTH) / 2} y={HEIGHT - 12}
          textAnchor="middle">{along}</text>
        <text className="title" textAnchor="middle"
          transform={`translate(18 ${(HEIGHT - BOTTOM) / 2}) rotate(-90)`}>
          {units ? `${name} (${units})` : name}
        </text>
        <path d={pathOf(values, x, y)} />
        {n <= 200 && Array.from(values).map((v, i) => Number.isFinite(v) && (
          <circle key={i} cx={x(i)} cy={y(v)} r={3} />
        ))}
        <line className="cursor" x1={x(shown)} x2={x(shown)} y1={10}
          y2={HEIGHT - BOTTOM - 10} />
      </svg>
      <figcaption><output data-testid="point-value">{text}</output></figcaption>
    </figure>
  );
}
