/** The series at a point, and what it costs before it is read. */
import { useEffect, useMemo, useState } from 'react';

import { axesOf, textAttribute } from '../../provider/coordinates';
import { isDrawn } from '../../provider/provider';
import type { ReadPlan, Variable } from '../../reader/src/index';
import { useOpened } from '../context';
import { bytesText, countText, errorText, save } from '../format';
import { readState, writeState } from '../view';
import Chart from './Chart';

export interface PointChoice {
  variable: Variable;
  point: number[];
}

/** Up to here a series is read without being asked for. */
const FREE_NBYTES = 1 << 20;
const FREE_NBLOCKS = 64;

interface Series {
  /** What it was read for: another may have been chosen since. */
  slab: object;
  values: Float64Array;
  labels: string[];
}

/** Times first; else the record dimension; else the first. */
export function seriesDimension(variable: Variable, times: boolean[]): number {
  const time = times.findIndex((is, dim) => is && variable.shape[dim]! > 1);
  const long = variable.shape.findIndex((n) => n > 1);
  return time >= 0 ? time : Math.max(long, 0);
}

function useLabels(variable: Variable, dim: number): string[] {
  const { file, coordinates } = useOpened();
  const [labels, setLabels] = useState<string[]>([]);

  useEffect(() => {
    const axis = axesOf(file.info, variable)[dim];
    let wanted = true;
    setLabels([]);
    if (axis) {
      coordinates.label(axis).then((list) => wanted && setLabels(list),
        () => {});
    }
    return () => {
      wanted = false;
    };
  }, [file, coordinates, variable, dim]);
  return labels;
}

function Index({ variable, dim, at, onChange }: { variable: Variable;
  dim: number; at: number; onChange: (at: number) => void }) {
  const labels = useLabels(variable, dim);
  return (
    <label>
      {variable.dimensions[dim]}{' '}
      <input type="number" min={0} max={variable.shape[dim]! - 1} value={at}
        onChange={(e) => onChange(Math.min(Math.max(
          Math.trunc(Number(e.target.value)) || 0, 0),
        variable.shape[dim]! - 1))} />{' '}
      <span className="note">{labels[at]}</span>
    </label>
  );
}

function csvOf(series: Series, variable: Variable, dim: number): string {
  const lines = Array.from(series.values, (v, i) =>
    `"${series.labels[i]!.replaceAll('"', '""')}",` +
    (Number.isFinite(v) ? String(v) : ''));
  return `"${variable.dimensions[dim]}","${variable.name}"\n` +
    `${lines.join('\n')}\n`;
}

export default function Point({ choice }: { choice: PointChoice | null }) {
  const { file, coordinates, name } = useOpened();
  const drawn = useMemo(() => file.info.variables.filter(isDrawn), [file]);
  const fromAddress = useMemo(() => {
    const state = readState();
    const variable = drawn.find((v) => v.name === state.variable);
    const point = state.point?.split(',').map(Number);
    return variable && point?.length === variable.shape.length &&
      point.every((i, dim) => i >= 0 && i < variable.shape[dim]!) ?
      { variable, point } : null;
  }, [drawn]);
  const [chosen, setChosen] = useState<PointChoice | null>(choice ??
    fromAddress ?? (drawn[0] ?
    { variable: drawn[0], point: drawn[0].shape.map(() => 0) } : null));
  const [along, setAlong] = useState<number>();
  const [plan, setPlan] = useState<ReadPlan | null>();
  const [series, setSeries] = useState<Series>();
  const [error, setError] = useState('');

  useEffect(() => {
    if (choice) {
      setChosen(choice);
      setAlong(undefined);
    }
  }, [choice]);
  const variable = chosen?.variable;
  const dim = variable ? along ?? seriesDimension(variable,
    axesOf(file.info, variable).map((a) => a?.isTime === true)) : 0;
  const slab = useMemo(() => variable && chosen && ({
    start: chosen.point.map((i, d) => d === dim ? 0 : i),
    count: variable.shape.map((n, d) => d === dim ? n : 1),
  }), [variable, chosen, dim]);

  const read = async () => {
    setError('');
    try {
      const axis = axesOf(file.info, variable!)[dim];
      const result = await file.read(variable!.id, { ...slab!, unpack: true });
      const values = Float64Array.from(result.values as Float64Array);
      const labels = axis ? await coordinates.label(axis) :
        Array.from(values, (_, i) => String(i));
      setSeries({ values, labels, slab: slab! });
    } catch (e) {
      setError(errorText(e));
    }
  };

  useEffect(() => {
    let wanted = true;
    setSeries(undefined);
    setPlan(undefined);
    setError('');
    if (!slab || !variable) {
      return undefined;
    }
    writeState({ variable: variable.name, point: chosen!.point.join(',') });
    void (async () => {
      try {
        const found = file.info.archive ?
          await file.plan(variable.id, slab) : null;
        if (!wanted) {
          return;
        }
        setPlan(found);
        if (!found || found.bytes <= FREE_NBYTES && found.blocks <= FREE_NBLOCKS) {
          await read();
        }
      } catch (e) {
        if (wanted) {
          setError(errorText(e));
        }
      }
    })();
    return () => {
      wanted = false;
    };
  }, [slab, variable, file]);

  if (!variable || !chosen) {
    return <section><h2>Point</h2><p>No variable has a series.</p></section>;
  }
  const costly = plan && (plan.bytes > FREE_NBYTES || plan.blocks > FREE_NBLOCKS);
  return (
    <section>
      <h2>Point</h2>
      <p className="note">A click on a map brings its point here.</p>
      <div className="fields">
        <label>variable{' '}
          <select value={variable.id} onChange={(e) => {
            const next = file.info.variables[Number(e.target.value)]!;
            setChosen({ variable: next, point: next.shape.map(() => 0) });
            setAlong(undefined);
          }}>
            {drawn.map((v) => <option key={v.id} value={v.id}>{v.name}</option>)}
          </select>
        </label>
        <label>series along{' '}
          <select value={dim} onChange={(e) => setAlong(Number(e.target.value))}>
            {variable.dimensions.map((d, i) =>
              <option key={i} value={i}>{d}</option>)}
          </select>
        </label>
        {variable.dimensions.map((_, d) => d !== dim && (
          <Index key={d} variable={variable} dim={d} at={chosen.point[d]!}
            onChange={(at) => setChosen({ variable,
              point: chosen.point.map((old, i) => i === d ? at : old) })} />
        ))}
      </div>
      <div aria-live="polite">
        {plan && (
          <p data-testid="point-plan">
            {countText(variable.shape[dim]!, 'value')} in{' '}
            {countText(plan.blocks, 'block')}
            {plan.bytes > 0 ? `, ${bytesText(plan.bytes)} to read` :
              ', all of them here'}.{' '}
            {costly && !series && (
              <button type="button" onClick={() => void read()}>Read it</button>
            )}
            {costly && ' Packed with --chunks=balanced, an archive gives ' +
              'series from far fewer.'}
          </p>
        )}
        {error && <p role="alert">{error}</p>}
      </div>
      {series && series.slab === slab && (
        <>
          <Chart values={series.values} labels={series.labels}
            name={variable.name}
            units={textAttribute(variable, 'units') ?? ''}
            along={variable.dimensions[dim]!} />
          <p>
            <button type="button" onClick={() => save(
              `${name}.${variable.name}.csv`, csvOf(series, variable, dim),
              'text/csv')}>Save as CSV</button>
          </p>
        </>
      )}
    </section>
  );
}
