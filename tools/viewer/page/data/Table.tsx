/* SPDX-License-Identifier: MIT */
/** Values as numbers, and text variables. */
import { useEffect, useState } from 'react';

import type { Variable } from '../../reader/src/index';
import { useOpened } from '../context';
import { errorText, save } from '../format';
import { decimals, plain } from '../numbers';
import { sizeOf, unitsOf } from '../variables';
import { textCsvOf } from './csv';
import type { Slice } from './slice';

const ROWS_MAX = 200;
const COLUMNS_MAX = 50;

/** A page of n things, from the first of it on. */
const pageOf = (from: number, n: number, max: number) =>
  Array.from({ length: Math.max(Math.min(n - from, max), 0) },
    (_, i) => from + i);

/** Which of many rows or columns are shown, and the way to others. */
function Pager({ what, from, n, max, onChange }: { what: string; from: number;
  n: number; max: number; onChange: (from: number) => void }) {
  return n <= max ? null : (
    <span className="pager">
      <button type="button" aria-label={`${what}s before`} disabled={from === 0}
        onClick={() => onChange(Math.max(from - max, 0))}>{'\u2039'}</button>
      {' '}{what}s {(from + 1).toLocaleString('en')} to{' '}
      {Math.min(from + max, n).toLocaleString('en')} of{' '}
      {n.toLocaleString('en')}{' '}
      <button type="button" aria-label={`${what}s after`}
        disabled={from + max >= n}
        onClick={() => onChange(from + max)}>{'\u203a'}</button>
    </span>
  );
}

/** A page of them; all can be saved. */
export function Numbers({ slice }: { slice: Slice }) {
  const { variable, x, y, values, dx, dy } = slice;
  const down = y ?? x;
  const [[top, left], setFrom] = useState([0, 0] as [number, number]);
  const columns = y ? pageOf(left, x.length, COLUMNS_MAX) : [0];
  const rows = pageOf(top, down.length, ROWS_MAX);
  return (
    <div className="scroll" tabIndex={0} role="region"
      aria-label={`Values of ${variable.name}`}>
      <Pager what="row" from={top} n={down.length} max={ROWS_MAX}
        onChange={(to) => setFrom([to, left])} />
      {y && <Pager what="column" from={left} n={x.length} max={COLUMNS_MAX}
        onChange={(to) => setFrom([top, to])} />}
      <table className="numbers" data-testid="numbers">
        <thead><tr>
          <th scope="col">{y ? `${y.name} \\ ${x.name}` : x.name}</th>
          {columns.map((i) => (
            <th key={i} scope="col">{y ? x.text(i) : unitsOf(variable) ||
              variable.name}</th>
          ))}
        </tr></thead>
        <tbody>{rows.map((j) => (
          <tr key={j}><th scope="row">{down.text(j)}</th>
            {columns.map((i) => <td key={i}>
              {plain(values[y ? i * dx + j * dy : j * dx]!)}</td>)}
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** The only value of a variable, and where it lies. */
export function Single({ variable }: { variable: Variable }) {
  const { file, axes } = useOpened();
  const [text, setText] = useState('');
  const [error, setError] = useState('');

  useEffect(() => {
    Promise.all([file.read(variable.id, { unpack: true }),
      ...variable.shape.map((_, dim) => axes.axis(variable, dim))]).then(
      ([{ values }, ...all]) => {
        const [value] = decimals(values as Float32Array);
        const units = Number.isFinite(value) ? unitsOf(variable) : '';
        setText([`${plain(value!)} ${units}`.trim(), ...all.flatMap((axis) =>
          axis.kind === 'index' ? [] : [`${axis.name} ${axis.text(0)}`])]
          .join(', '));
      }, (e: unknown) => setError(errorText(e)));
  }, [file, axes, variable]);
  return error ? <p role="alert">{error}</p> :
    <p><output data-testid="single">{text}</output></p>;
}

const decoder = new TextDecoder();

/** Rows of text, without what fills them up. */
function rowsOf(bytes: Uint8Array, length: number): string[] {
  return pageOf(0, bytes.length / length, Infinity).map((i) =>
    decoder.decode(bytes.subarray(i * length, (i + 1) * length))
      .replace(/\0[^]*$/, ''));
}

/** The text along the last dimension of a variable: a page of it, or all. */
export function Text({ variable }: { variable: Variable }) {
  const { file, name } = useOpened();
  const [from, setFrom] = useState(0);
  const [rows, setRows] = useState<string[]>();
  const [error, setError] = useState('');
  const { shape } = variable;
  const length = shape.at(-1) ?? 1;
  const n = sizeOf(variable) / length;
  /** Rows for each index of the first dimension, by which is read. */
  const each = shape.length > 1 ? n / shape[0]! : 1;

  const read = async (first: number, max: number) => {
    const [start, end] = [Math.floor(first / each),
      Math.ceil(Math.min(first + max, n) / each)];
    const { values } = await file.read(variable.id, shape.length > 1 ? {
      start: shape.map((_, dim) => dim === 0 ? start : 0),
      count: [end - start, ...shape.slice(1)] } : {});
    const skipped = first - start * each;
    return rowsOf(values as Uint8Array, length).slice(skipped, skipped + max);
  };
  useEffect(() => {
    let isWanted = true;
    read(from, ROWS_MAX).then((got) => isWanted && setRows(got),
      (e: unknown) => isWanted && setError(errorText(e)));
    return () => {
      isWanted = false;
    };
  }, [file, variable, from]);
  const saveAll = async () => save(`${name}.${variable.name}.csv`,
    textCsvOf(variable, await read(0, n)), 'text/csv');
  return (
    <div className="scroll" tabIndex={0} role="region"
      aria-label={`Values of ${variable.name}`}>
      {error && <p role="alert">{error}</p>}
      <Pager what="row" from={from} n={n} max={ROWS_MAX} onChange={setFrom} />
      {rows && <button type="button" onClick={() => void saveAll().catch(
        (e: unknown) => setError(errorText(e)))}>CSV</button>}
      <table className="numbers" data-testid="texts"><tbody>
        {rows?.map((row, i) => (
          <tr key={i}><th scope="row">{from + i}</th>
            <td className="text">{row}</td></tr>
        ))}
      </tbody></table>
    </div>
  );
}
