/* SPDX-License-Identifier: MIT */
/** Which variables are axes of others, and what their values read like. */
import type { FileInfo, NetcdfFile, Variable } from '../reader/src/index';

/** For each dimension of a variable, its coordinate variable. */
export function axesOf(info: FileInfo, variable: Variable): (Variable | null)[] {
  return variable.dimensions.map((name) => {
    const axis = info.variables.find((v) => v.name === name);
    return axis && axis.dimensions.length === 1 && axis.type !== 'char' &&
      axis.dimensions[0] === name && axis.shape[0]! > 0 ? axis : null;
  });
}

export function isCoordinate(variable: Variable): boolean {
  return variable.dimensions.length === 1 &&
    variable.dimensions[0] === variable.name;
}

export function textAttribute(variable: Variable, name: string): string | null {
  const value = variable.attributes.find((a) => a.name === name)?.value;
  return typeof value === 'string' ? value.replace(/\0+$/, '') : null;
}

/** Values of axes, read once. */
export class Coordinates {
  private readonly values = new Map<number, Promise<Float64Array>>();
  private readonly labels = new Map<number, Promise<string[]>>();

  constructor(readonly file: NetcdfFile) {}

  /** As numbers, unpacked. */
  read(axis: Variable): Promise<Float64Array> {
    let promise = this.values.get(axis.id);
    if (!promise) {
      promise = this.file.read(axis.id, { unpack: true })
        .then(({ values }) => Float64Array.from(values as Float32Array));
      this.values.set(axis.id, promise);
      promise.catch(() => this.values.delete(axis.id));
    }
    return promise;
  }

  /** As text: dates where they are times, else numbers with their units. */
  label(axis: Variable): Promise<string[]> {
    let promise = this.labels.get(axis.id);
    if (!promise) {
      promise = this.read(axis).then((values) => {
        if (axis.isTime) {
          return this.file.times(axis.id, values);
        }
        const units = textAttribute(axis, 'units');
        return Array.from(values, (v) => Number(v.toPrecision(7)) +
          (units ? ` ${units}` : ''));
      });
      this.labels.set(axis.id, promise);
      promise.catch(() => this.labels.delete(axis.id));
    }
    return promise;
  }
}
