/* SPDX-License-Identifier: MIT */
/** Values as numbers, and text variables. */
import { useEffect, useState } from 'react';

import type { Variable } from '../../reader/src/index';
import { useOpened } from '../context';
import { countText, errorText } from '../format';
import { decimals, plain } from '../numbers';
import { sizeOf, unitsOf } from '../variables';
import type { Slice } from './slice';

const ROWS_MAX = 200;
const COLUMNS_MAX = 50;

const upTo = (n: number, max: number) =>
  Array.from({ length: Math.min(n, max) }, (_, i) => i);

/** The first of them; all can be saved. */
export function Numbers({ slice }: { slice: Slice }) {
  const { variable, x, y, values, dx, dy } = slice;
  const down = y ?? x;
  const columns = y ? upTo(x.length, COLUMNS_MAX) : [0];
  const rows = upTo(down.length, ROWS_MAX);
  const isCut = columns.length < x.length && y || rows.length < down.length;
  return (
    <div className="scroll" tabIndex={0} role="region"
      aria-label={`Values of ${variable.name}`}>
      {isCut && <p className="note">The first {rows.length} of{' '}
        {countText(down.length, 'row')}{y && ` and ${columns.length} of ` +
        countText(x.length, 'column')}.</p>}
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
  return upTo(length > 0 ? bytes.length / length : 0, ROWS_MAX).map((i) =>
    decoder.decode(bytes.subarray(i * length, (i + 1) * length))
      .replace(/\0[^]*$/, ''));
}

/** The text along the last dimension of a variable. */
export function Text({ variable }: { variable: Variable }) {
  const { file } = useOpened();
  const [rows, setRows] = useState<string[]>();
  const [error, setError] = useState('');

  useEffect(() => {
    const [first] = variable.shape;
    const count = variable.shape.length > 1 ?
      [Math.min(first!, ROWS_MAX), ...variable.shape.slice(1)] : variable.shape;
    file.read(variable.id, { start: count.map(() => 0), count }).then(
      ({ values }) => setRows(rowsOf(values as Uint8Array,
        variable.shape.at(-1) ?? 1)),
      (e: unknown) => setError(errorText(e)));
  }, [file, variable]);
  const all = sizeOf(variable) / (variable.shape.at(-1) || 1);
  return (
    <div className="scroll" tabIndex={0} role="region"
      aria-label={`Values of ${variable.name}`}>
      {error && <p role="alert">{error}</p>}
      {rows && rows.length < all && <p className="note">The first{' '}
        {rows.length} of {countText(all, 'row')}.</p>}
      <table className="numbers" data-testid="texts"><tbody>
        {rows?.map((row, i) => (
          <tr key={i}><th scope="row">{i}</th><td className="text">{row}</td></tr>
        ))}
      </tbody></table>
    </div>
  );
}
