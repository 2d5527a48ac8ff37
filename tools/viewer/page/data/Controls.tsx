/* SPDX-License-Identifier: MIT */
/** What is shown: which way of showing, which axes, where on the others. */
import { useEffect, useState, type ReactNode } from 'react';

import type { Variable } from '../../reader/src/index';
import type { Mapping } from '../address';
import { useOpened } from '../context';
import type { Axis } from './axis';
import { MAPS, type Colours } from './colours';
import type { useScale } from './scale';

export const WAYS = ['map', 'line', 'table'] as const;
export type Way = typeof WAYS[number];

export function Choice({ label, value, options, onChange }: { label: string;
  value: string; options: readonly (string | [string, string])[];
  onChange: (value: string) => void }) {
  return (
    <label>{label}{' '}
      <select value={value} onChange={(e) => onChange(e.target.value)}>
        {options.map((option) => {
          const [id, text] = typeof option === 'string' ?
            [option, option] : option;
          return <option key={id} value={id}>{text}</option>;
        })}
      </select>
    </label>
  );
}

export function Switch({ label, on, onChange }: { label: string; on: boolean;
  onChange: (on: boolean) => void }) {
  return (
    <label><input type="checkbox" checked={on}
      onChange={(e) => onChange(e.target.checked)} /> {label}</label>
  );
}

/**
 * A mapping with another dimension on an axis; what was there is cut where
 * 'cuts' says.
 */
function withAxis(mapping: Mapping, cuts: number[], axis: 'x' | 'y',
  dim: number): Mapping {
  const before = mapping[dim]!;
  return mapping.map((m, i) => i === dim ? axis :
    m !== axis ? m : typeof before === 'number' ? cuts[i]! : before);
}

/** Which dimensions are the axes: by their own names. */
export function AxisChoices({ variable, mapping, cuts, onChange }: {
  variable: Variable; mapping: Mapping; cuts: number[];
  onChange: (m: Mapping) => void }) {
  const names = variable.dimensions.map((name, dim): [string, string] =>
    [String(dim), name]);
  const axes = (['x', 'y'] as const).filter((axis) => mapping.includes(axis));
  return names.length < 2 ? null : axes.map((axis) => (
    <Choice key={axis} options={names}
      label={axes.length < 2 ? 'along' : axis === 'x' ? 'across' : 'up'}
      value={String(mapping.indexOf(axis))}
      onChange={(dim) => onChange(withAxis(mapping, cuts, axis, Number(dim)))} />
  ));
}

export function useAxis(variable: Variable, dim: number): Axis | undefined {
  const { axes } = useOpened();
  const [axis, setAxis] = useState<{ of: Variable; axis: Axis }>();

  useEffect(() => {
    let isWanted = true;
    axes.axis(variable, dim).then((got) =>
      isWanted && setAxis({ of: variable, axis: got }), () => {});
    return () => {
      isWanted = false;
    };
  }, [axes, variable, dim]);
  return axis?.of === variable ? axis.axis : undefined;
}

/** Where one dimension is cut, and a film along it. */
export function Cut({ variable, dim, at, isPlaying, onPlay, onChange }: {
  variable: Variable; dim: number; at: number; isPlaying: boolean;
  onPlay: (on: boolean) => void; onChange: (at: number) => void }) {
  const axis = useAxis(variable, dim);
  const name = variable.dimensions[dim]!;
  const last = variable.shape[dim]! - 1;
  const text = axis?.text(at) ?? String(at);
  if (last === 0) {
    return <div className="cut"><b>{name}</b> <output>{text}</output></div>;
  }
  return (
    <div className="cut">
      <b>{name}</b>
      <button type="button" aria-pressed={isPlaying}
        aria-label={`${isPlaying ? 'Stop' : 'Play'} along ${name}`}
        onClick={() => onPlay(!isPlaying)}>
        {isPlaying ? '\u23f8\ufe0e' : '\u25b6\ufe0e'}</button>
      <button type="button" aria-label={`${name}: back`} disabled={at === 0}
        onClick={() => onChange(at - 1)}>{'\u2039'}</button>
      <input type="range" min={0} max={last} value={at} aria-label={name}
        aria-valuetext={text}
        onChange={(e) => onChange(Number(e.target.value))} />
      <button type="button" aria-label={`${name}: on`} disabled={at === last}
        onClick={() => onChange(at + 1)}>{'\u203a'}</button>
      <output>{text}</output>
      <span className="note">{at + 1} of {last + 1}</span>
    </div>
  );
}

/** A number that counts once it is whole: at Enter, or when it is left. */
export function NumberField({ label, value, onChange }: { label: string;
  value: number; onChange: (value: number) => void }) {
  return (
    <label>{label}{' '}
      <input type="text" inputMode="decimal" key={value} defaultValue={value}
        onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
        onBlur={(e) => {
          const typed = Number(e.target.value.replace(',', '.'));
          if (e.target.value.trim() !== '' && Number.isFinite(typed) &&
              typed !== value) {
            onChange(typed);
          } else {
            e.target.value = String(value);
          }
        }} />
    </label>
  );
}

/** Colours and their limits, which stay until they are changed. */
export function ColourChoices({ colours, onColours, limited }: {
  colours: Colours; onColours: (c: Colours) => void;
  limited: ReturnType<typeof useScale> }) {
  const { scale, limits, setTyped, fit, widen } = limited;
  const round = (v: number) => Number(v.toPrecision(6));
  const isTurned = limits.low > limits.high;
  return (
    <>
      <Choice label="colours" value={colours.map} options={Object.keys(MAPS)}
        onChange={(map) => onColours({ ...colours, map })} />
      <Switch label="reversed" on={colours.reversed}
        onChange={(reversed) => onColours({ ...colours, reversed })} />
      <Switch label="logarithmic" on={colours.log}
        onChange={(log) => onColours({ ...colours, log })} />
      <NumberField label="from"
        value={round(isTurned ? limits.low : scale.low)}
        onChange={(low) => setTyped({ low, high: limits.high })} />
      <NumberField label="to"
        value={round(isTurned ? limits.high : scale.high)}
        onChange={(high) => setTyped({ low: limits.low, high })} />
      {isTurned && <span role="alert">from is above to: the colours are those{' '}
        of {round(scale.low)} to {round(scale.high)}</span>}
      <button type="button" title="Limits of what is shown now"
        onClick={fit}>Fit</button>
      {widen && <button type="button" onClick={widen}
        title="Limits of all that was shown so far">Widen</button>}
    </>
  );
}

export function Fields({ children }: { children: ReactNode }) {
  return <div className="fields">{children}</div>;
}
