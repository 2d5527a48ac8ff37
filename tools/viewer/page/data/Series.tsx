/* SPDX-License-Identifier: MIT */
/** The series at a point, and what it costs before it is read. */
import { useEffect, useMemo, useRef, useState } from 'react';

import type { ReadPlan, Variable } from '../../reader/src/index';
import type { Mapping } from '../address';
import { useOpened } from '../context';
import { bytesText, countText, errorText, save } from '../format';
import { decimals, rounded } from '../numbers';
import { axesOf, unitsOf } from '../variables';
import type { Axis } from './axis';
import { Choice, NumberField, useAxis } from './Controls';
import { csvOf } from './csv';
import Line from './Line';
import { useSize } from './size';

/** Up to here a series is read without being asked for. */
const FREE_NBYTES = 1 << 20;
const FREE_NBLOCKS = 64;

interface Props {
  variable: Variable;
  /** What is on the map. */
  mapping: Mapping;
  onMapping: (mapping: Mapping) => void;
  point: number[];
  onPoint: (point: number[] | null) => void;
  height: number;
}

interface Read {
  /** What it was read for: another may have been chosen since. */
  slab: object;
  values: Float64Array;
  /** Of all dimensions. */
  axes: Axis[];
}

/** Times first; else the first that has a length. */
export function seriesDimension(variable: Variable, times: boolean[]): number {
  const time = times.findIndex((is, dim) => is && variable.shape[dim]! > 1);
  const long = variable.shape.findIndex((n) => n > 1);
  return time >= 0 ? time : Math.max(long, 0);
}

/** Where the point is on one dimension: by value, where values have an order. */
function At({ variable, dim, at, onChange }: { variable: Variable; dim: number;
  at: number; onChange: (at: number) => void }) {
  const axis = useAxis(variable, dim);
  const name = variable.dimensions[dim]!;
  const hasValues = axis && axis.kind !== 'index' && axis.kind !== 'time';
  const bounded = (i: number) =>
    Math.min(Math.max(Math.trunc(i), 0), variable.shape[dim]! - 1);
  return (
    <span>
      <NumberField label={name} value={hasValues ?
        rounded(axis.positions[at]!) : at}
      onChange={(v) => onChange(hasValues ? axis.nearest(v) : bounded(v))} />
      {' '}<span className="note">{axis?.text(at)}</span>
    </span>
  );
}

function useRead(variable: Variable, slab: { start: number[];
  count: number[] }) {
  const { file, axes } = useOpened();
  const [plan, setPlan] = useState<ReadPlan | null>();
  const [series, setSeries] = useState<Read>();
  const [error, setError] = useState('');

  const read = async () => {
    try {
      const [{ values }, ...all] = await Promise.all([
        file.read(variable.id, { ...slab, unpack: true }),
        ...variable.shape.map((_, d) => axes.axis(variable, d))]);
      setSeries({ values: decimals(values as Float32Array), axes: all, slab });
    } catch (e) {
      setError(errorText(e));
    }
  };

  useEffect(() => {
    let isWanted = true;
    setPlan(undefined);
    setError('');
    const planned = file.info.archive ?
      file.plan(variable.id, slab) : Promise.resolve(null);
    planned.then((found) => {
      if (isWanted) {
        setPlan(found);
        if (!found || found.bytes <= FREE_NBYTES &&
            found.blocks <= FREE_NBLOCKS) {
          void read();
        }
      }
    }, (e: unknown) => isWanted && setError(errorText(e)));
    return () => {
      isWanted = false;
    };
  }, [slab, variable, file]);
  return { plan, error, read,
    series: series?.slab === slab ? series : undefined };
}

const replaced = <T,>(list: T[], at: number, value: T) =>
  list.map((old, i) => i === at ? value : old);

export default function Series({ variable, mapping, onMapping, point, onPoint,
  height }: Props) {
  const { file, name } = useOpened();
  const [along, setAlong] = useState<number>();
  const room = useRef<HTMLDivElement>(null);
  const { width } = useSize(room);
  const dim = along ?? seriesDimension(variable,
    axesOf(file.info, variable).map((axis) => axis?.isTime === true));
  const slab = useMemo(() => ({
    start: point.map((i, d) => d === dim ? 0 : i),
    count: variable.shape.map((n, d) => d === dim ? n : 1),
  }), [variable, point, dim]);
  const { plan, series, error, read } = useRead(variable, slab);
  /** The map is at one step of the series; else the series goes across it. */
  const isCut = typeof mapping[dim] === 'number';
  const isCostly = plan && (plan.bytes > FREE_NBYTES ||
    plan.blocks > FREE_NBLOCKS);
  return (
    <section className="series" aria-label="Series" ref={room}>
      <div className="fields">
        <h3>Series</h3>
        {variable.shape.length > 1 && (
          <Choice label="along" value={String(dim)}
            options={variable.dimensions.map((d, i) => [String(i), d])}
            onChange={(d) => setAlong(Number(d))} />
        )}
        {point.map((at, d) => d !== dim && variable.shape[d]! > 1 && (
          <At key={d} variable={variable} dim={d} at={at} onChange={(to) =>
            onPoint(replaced(point, d, to))} />
        ))}
        {series && <button type="button" onClick={() =>
          save(`${name}.${variable.name}.csv`,
            csvOf(series.axes, slab, variable.name, series.values),
            'text/csv')}>
          CSV</button>}
        <button type="button" aria-label="Close the series"
          onClick={() => onPoint(null)}>{'\u00d7'}</button>
      </div>
      <div aria-live="polite">
        {plan && (
          <p className="note" data-testid="series-plan">
            {countText(variable.shape[dim]!, 'value')} in{' '}
            {countText(plan.blocks, 'block')}
            {plan.bytes > 0 ? `, ${bytesText(plan.bytes)} to read` :
              ', all of them here'}.{' '}
            {isCostly && !series && (
              <button type="button" onClick={() => void read()}>Read it</button>
            )}
            {isCostly && plan.blocks > 1 && ' Packed with --chunks=balanced, ' +
              'an archive gives series from far fewer.'}
          </p>
        )}
        {error && <p role="alert">{error}</p>}
      </div>
      {series && width > 0 && (
        <Line values={series.values} axis={series.axes[dim]!} name={variable.name}
          title={variable.name} units={unitsOf(variable)} width={width}
          height={height} at={isCut ? mapping[dim] as number : point[dim]!}
          onAt={(at) => isCut ? onMapping(replaced(mapping, dim, at)) :
            onPoint(replaced(point, dim, at))} />
      )}
    </section>
  );
}
