/* SPDX-License-Identifier: MIT */
/** One variable: what is chosen about it, its map, line or table, a series. */
import { useEffect, useRef, useState, type ReactNode } from 'react';

import { readState, writeState, type Mapping } from '../address';
import { countText } from '../format';
import { plain } from '../numbers';
import { titleOf, unitsOf } from '../variables';
import { useCoast } from './coast';
import { coloursText, parseColours } from './colours';
import {
  AxisChoices, Choice, ColourChoices, Fields, Switch, WAYS, type Way,
} from './Controls';
import type { Shown } from './Data';
import Field from './Field';
import Line from './Line';
import { wholeWindow } from './paint';
import Saves from './Saves';
import { useScale } from './scale';
import Series from './Series';
import { useSize } from './size';
import { useSlice, type Slice } from './slice';
import { Numbers } from './Table';
import { useWindow } from './zoom';

interface Props {
  shown: Shown;
  way: Way | undefined;
  onWay: (way: Way) => void;
  onMapping: (mapping: Mapping) => void;
  /** Gets whether the picture is that of what is chosen. */
  children: (isNow: boolean) => ReactNode;
}

/** A line has one axis, a map two; others come and go. */
function mappingFor(way: Way, shown: Shown, cuts: number[]): Mapping {
  const { mapping, variable } = shown;
  const free = mapping.findLastIndex((m, dim) => typeof m === 'number' &&
    variable.shape[dim]! > 1);
  if (way === 'line') {
    return mapping.map((m, dim) => m === 'y' ? cuts[dim]! : m);
  }
  return way === 'table' || mapping.includes('y') || free < 0 ? mapping :
    mapping.map((m, dim) => dim === free ? 'y' : m);
}

/** Of a series, in pixels. */
const HEIGHT = 260;

/** Where axes are cut that give way: at the point, or else in the middle. */
function cutsOf({ variable, start }: Shown, point: number[] | null): number[] {
  return point ?? variable.shape.map((n, dim) =>
    typeof start[dim] === 'number' ? 0 : n >> 1);
}

/** On narrow screens the page scrolls: a picture takes the height it needs. */
function roomFor({ width, height }: { width: number; height: number }) {
  return { width, height: width < 600 ? Math.min(width, 400) : height };
}

/** Indices of the variable for a cell of its map. */
function pointOf({ mapping, stepX, stepY }: Slice, [i, j]: [number, number]):
  number[] {
  return mapping.map((m) => m === 'x' ? i * stepX : m === 'y' ? j * stepY : m);
}

function usePoint({ variable }: Shown) {
  const [point, setPoint] = useState<number[] | null>(() => {
    const at = readState().point?.split(',').map(Number);
    return at?.length === variable.shape.length && at.every((i, dim) =>
      Number.isInteger(i) && i >= 0 && i < variable.shape[dim]!) ? at : null;
  });

  useEffect(() => writeState({ point: point?.join(',') ?? '' }), [point]);
  return [point, setPoint] as const;
}

function Note({ slice }: { slice: Slice }) {
  const { low, high, missing, variable, values } = slice;
  const every = slice.stepX * slice.stepY;
  const text = [
    low <= high &&
      `${plain(low)} to ${plain(high)} ${unitsOf(variable)}`.trim(),
    missing === values.length ? 'all values here are missing' :
      missing > 0 && `${countText(missing, 'value')} missing`,
  ].filter(Boolean).join(', ');
  return <span className="note">{every > 1 &&
    `Of the values drawn (1 of ${every}): `}{text}</span>;
}

export default function Picture({ shown, way: wanted, onWay, onMapping,
  children }: Props) {
  const { variable, mapping } = shown;
  const room = useRef<HTMLDivElement>(null);
  const { width, height } = roomFor(useSize(room));
  const { slice, isNow, error } = useSlice(variable, mapping);
  const [paints, setPaints] = useState(() =>
    parseColours(readState().colours));
  const limited = useScale(slice, paints.log);
  const [point, setPoint] = usePoint(shown);
  const [wantsCoast, setWantsCoast] = useState(() =>
    readState().coast !== 'off');
  const [isLarge, setLarge] = useState(false);
  /** It says then why there are none. */
  const [asksCoast, setAsksCoast] = useState(false);
  const way = wanted === 'table' ? 'table' : mapping.includes('y') ?
    'map' : 'line';
  const axes = `${mapping.indexOf('x')} ${mapping.indexOf('y')}`;
  const { window, setWindow } = useWindow(slice, axes);
  const cuts = cutsOf(shown, point);
  const choose = (next: Way) => {
    onWay(next);
    onMapping(mappingFor(next, shown, cuts));
  };
  const ways = WAYS.filter((w) => w !== 'map' || variable.shape
    .filter((n) => n > 1).length > 1 || mapping.includes('y'));
  const isMap = way === 'map' && slice?.y;
  const isGlobe = isMap && slice.x.kind === 'lon' && slice.y?.kind === 'lat';
  const coast = useCoast(wantsCoast && Boolean(isGlobe));
  const pin: [number, number] | null = point && slice?.y ? [
    Math.floor(point[slice.mapping.indexOf('x')]! / slice.stepX),
    Math.floor(point[slice.mapping.indexOf('y')]! / slice.stepY)] : null;
  return (
    <section className="shown" data-testid="shown"
      data-state={error ? 'error' : isNow ? 'drawn' : 'reading'}>
      <header>
        <h2>{titleOf(variable)}</h2>
        {slice && <Note slice={slice} />}
      </header>
      <Fields>
        <Choice label="as" value={way} options={ways}
          onChange={(next) => choose(next as Way)} />
        <AxisChoices variable={variable} mapping={mapping} cuts={cuts}
          onChange={onMapping} />
        <Switch label="large" on={isLarge} onChange={setLarge} />
        {slice && isNow && <Saves slice={slice} window={window}
          room={way === 'table' ? null : room} />}
      </Fields>
      {children(isNow)}
      {error && <p role="alert">{error}</p>}
      {asksCoast && coast.error && <p role="alert">{coast.error}</p>}
      <div className={isLarge ? 'room large' : 'room'} ref={room}>
        {!slice && !error && <p role="status">Reading {variable.name} …</p>}
        {isMap && width > 0 && (
          <Field slice={slice} scale={limited.scale} colours={paints}
            coast={coast.lines} width={width} height={height}
            window={window ?? wholeWindow(slice)} onWindow={setWindow}
            pin={pin} onPin={(cell) => setPoint(pointOf(slice, cell))} />
        )}
        {slice && way === 'line' && !slice.y && width > 0 && (
          <Line values={slice.values} axis={slice.x} name={variable.name}
            title={variable.name} units={unitsOf(variable)} width={width}
            height={height - 28} />
        )}
        {slice && way === 'table' && <Numbers slice={slice} />}
      </div>
      {isMap && (
        <Fields>
          <ColourChoices colours={paints} onColours={(next) => {
            setPaints(next);
            writeState({ colours: coloursText(next) });
          }} limited={limited} />
          {isGlobe && <Switch label="coastlines" on={wantsCoast}
            onChange={(on) => {
              setWantsCoast(on);
              setAsksCoast(on);
              writeState({ coast: on ? '' : 'off' });
            }} />}
        </Fields>
      )}
      {point && <Series variable={variable} mapping={mapping}
        onMapping={onMapping} point={point} onPoint={setPoint}
        height={isLarge ? 2 * HEIGHT : HEIGHT} />}
    </section>
  );
}
