/* SPDX-License-Identifier: MIT */
/** What variables are to people: fields to look at, axes, bounds, text. */
import type { Variable } from '../reader/src/index';
import { superscript } from './numbers';

/** What a file has. */
interface Info {
  variables: Variable[];
}

export function textAttribute(variable: Variable, name: string): string | null {
  const value = variable.attributes.find((a) => a.name === name)?.value;
  return typeof value === 'string' ? value.replace(/\0+$/, '').trim() : null;
}

/** Units as they are printed: none if they say nothing; m² for m**2. */
export function unitsOf(variable: Variable): string {
  const units = textAttribute(variable, 'units') ?? '';
  if (/^(1|none|unitless|dimensionless|-)$/i.test(units)) {
    return '';
  }
  if (/^deg(rees?)?[ _]?c(elsius)?$|^celsius$/i.test(units)) {
    return '\u00b0C';
  }
  const isProduct = /^([a-z\u00b5%/]+(\*\*|\^)?-?\d?[ .*]?)+$/i.test(units);
  return isProduct ? units.replace(/([a-z])(?:\*\*|\^)?(-?\d)/gi,
    (_, unit: string, n: string) => unit + superscript(Number(n))) : units;
}

export function titleOf(variable: Variable): string {
  return textAttribute(variable, 'long_name') || variable.name;
}

/** For each dimension of a variable, its coordinate variable. */
export function axesOf(info: Info, variable: Variable): (Variable | null)[] {
  return variable.dimensions.map((name) => {
    const axis = info.variables.find((v) => v.name === name);
    return axis && axis.dimensions.length === 1 && axis.type !== 'char' &&
      axis.dimensions[0] === name && axis.shape[0]! > 0 ? axis : null;
  });
}

export function sizeOf(variable: Variable): number {
  return variable.shape.reduce((a, b) => a * b, 1);
}

export const isText = (variable: Variable) => variable.type === 'char';

/** Attributes whose words are the names of variables that describe others. */
const DESCRIBING = ['coordinates', 'bounds', 'climatology', 'cell_measures',
  'ancillary_variables', 'grid_mapping', 'formula_terms'];

/** Variables that say where the values of others lie: by role, then by name. */
function describingNames(info: Info): Set<string> {
  return new Set(info.variables.flatMap((v) => DESCRIBING.flatMap((name) =>
    (textAttribute(v, name) ?? '').split(/\s+/))));
}

/** Dimensions that count corners of cells or their coordinates: also ESMF's. */
const CORNERS = new RegExp('(^|_)(corners?|vertices|bnds?|bounds|nv|nvertex|' +
  'nbnd|maxNodePElement|coordDim)$', 'i');

/** Fields, largest first; then what describes them, as the file has it. */
export function groupsOf(info: Info):
  { fields: Variable[]; others: Variable[] } {
  const describing = describingNames(info);
  const isField = (v: Variable) => !isText(v) && sizeOf(v) > 1 &&
    !v.dimensions.includes(v.name) && !describing.has(v.name) &&
    !/_(bnds|bounds|vertices)$/i.test(v.name) && !v.isTime &&
    !CORNERS.test(v.dimensions.at(-1) ?? '');
  return {
    fields: info.variables.filter(isField)
      .sort((a, b) => sizeOf(b) - sizeOf(a)),
    others: info.variables.filter((v) => !isField(v)),
  };
}

/** What to show first. */
export function firstVariable(info: Info): Variable | undefined {
  const { fields, others } = groupsOf(info);
  return fields[0] ?? others.filter((v) => !isText(v))
    .reduce<Variable | undefined>((best, v) =>
      best && sizeOf(best) >= sizeOf(v) ? best : v, undefined) ?? others[0];
}
