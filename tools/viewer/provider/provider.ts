/* SPDX-License-Identifier: MIT */
/**
 * An archive as H5Web sees it.  Each variable that can be drawn is a NeXus group
 * (NXdata) of the variable and its coordinate variables, so that it comes with
 * its axes; all others are plain data sets.  Values are unpacked, and missing
 * ones are NaN, which stay white.
 */
import {
  DataProviderApi, DTypeClass, EntityKind, ShapeClass, type ArrayShape,
  type Attribute as H5Attribute, type AttributeValues, type Dataset,
  type DType, type Entity, type ExportFormat, type ExportURL,
  type GroupWithChildren, type ProvidedEntity, type ScalarShape, type Shape,
  type ValuesStoreParams,
} from '@h5web/app';

import {
  ReaderError, type Attribute, type NetcdfFile, type Storage, type TypeName,
  type Variable,
} from '../reader/src/index';
import { axesOf, isCoordinate, textAttribute } from './coordinates';
import { setOrigin } from './ndarray';

const TEXT: DType = {
  class: DTypeClass.String, charSet: 'UTF-8', strPad: 'null-terminated',
};
const SCALAR: ScalarShape = { class: ShapeClass.Scalar, dims: [] };
const BYTES: Record<TypeName, number> = {
  byte: 1, char: 1, short: 2, int: 4, float: 4, double: 8, ubyte: 1, ushort: 2,
  uint: 4, int64: 8, uint64: 8,
};
const SMALL = new Set<TypeName>(['byte', 'ubyte', 'short', 'ushort', 'float']);

function arrayShape(dims: number[]): ArrayShape {
  return { class: ShapeClass.Array, dims };
}

function float(size: number): DType {
  return { class: DTypeClass.Float, size, endianness: 'little-endian' };
}

interface Described extends H5Attribute {
  value: unknown;
}

function textAttributeOf(name: string, value: string | string[]): Described {
  const shape = Array.isArray(value) ? arrayShape([value.length]) : SCALAR;
  return { name, value, shape, type: TEXT };
}

function attributeOf({ name, value }: Attribute): Described {
  if (typeof value === 'string') {
    return textAttributeOf(name, value.replace(/\0+$/, ''));
  }
  return value.length === 1 ?
    { name, value: value[0], shape: SCALAR, type: float(64) } :
    { name, value, shape: arrayShape([value.length]), type: float(64) };
}

/** Text has one dimension less: its last one is the length. */
function shapeOf(variable: Variable): ScalarShape | ArrayShape {
  const dims = variable.type === 'char' ?
    variable.shape.slice(0, -1) : variable.shape;
  return dims.length > 0 ? arrayShape(dims) : SCALAR;
}

/** Whether there is something to draw. */
export function isDrawn(variable: Variable): boolean {
  return variable.type !== 'char' && variable.shape.length > 0 &&
    !isCoordinate(variable) && variable.shape.every((n) => n > 0);
}

/** A name of our own for each variable: "/" separates names in paths. */
export function segmentOf(variable: Variable): string {
  return variable.name.replaceAll('/', '\u2215') || `variable ${variable.id}`;
}

export function pathOf(variable: Variable): string {
  return `/${segmentOf(variable)}`;
}

/** What to show first: a field on axes, the one with most dimensions. */
export function defaultVariable(variables: Variable[],
  axes: (v: Variable) => (Variable | null)[]): Variable | undefined {
  const bounds = new Set(variables.map((v) => textAttribute(v, 'bounds')));
  const weight = (v: Variable) =>
    (bounds.has(v.name) ? 0 : 100) + (v.shape.length >= 2 ? 10 : 0) +
    (axes(v).every(Boolean) ? 5 : 0) +
    (v.shape.filter((n) => n > 1).length >= 2 ? 2 : 0);
  return variables.filter(isDrawn)
    .reduce<Variable | undefined>((best, v) =>
      !best || weight(v) > weight(best) ? v : best, undefined);
}

/** "3,:,:" as start and count. */
export function parseSelection(selection: string | undefined, dims: number[]):
  { start: number[]; count: number[] } {
  const start = dims.map(() => 0);
  const count = [...dims];
  selection?.split(',').forEach((part, dim) => {
    if (part !== ':') {
      start[dim] = Number(part);
      count[dim] = 1;
    }
  });
  return { start, count };
}

const decoder = new TextDecoder();

/** Rows of text, without what fills them up. */
function rowsOf(bytes: Uint8Array, length: number): string[] {
  const rows = length > 0 ? bytes.length / length : 0;
  return Array.from({ length: rows }, (_, i) =>
    decoder.decode(bytes.subarray(i * length, (i + 1) * length))
      .replace(/\0[^]*$/, ''));
}

export class Provider extends DataProviderApi {
  private readonly entities = new Map<string, ProvidedEntity>();
  private readonly variables = new Map<string, Variable>();
  readonly defaultPath: string;

  /** 'slices' are what variables are shown with first: "3,:,:". */
  constructor(readonly file: NetcdfFile, name: string,
    private readonly storages: (Storage | null)[],
    slices: ReadonlyMap<number, string> = new Map()) {
    super(name);
    const { info } = file;
    const drawn = info.variables.filter(isDrawn);
    const others = info.variables.filter((v) => !isDrawn(v));
    const first = defaultVariable(info.variables, (v) => axesOf(info, v));
    const children = [
      ...drawn.map((v) => this.plot(v, slices.get(v.id))),
      ...others.map((v) => this.dataset(v, pathOf(v))),
    ];
    this.defaultPath = first ? pathOf(first) : '/';
    this.add(this.group(name, '/', children, [
      ...(first ? [textAttributeOf('default', segmentOf(first))] : []),
      ...info.attributes.map(attributeOf),
    ]));
  }

  private group(name: string, path: string, children: ProvidedEntity[],
    attributes: Described[]): GroupWithChildren {
    return { kind: EntityKind.Group, name, path, attributes,
      children } as GroupWithChildren;
  }

  private dataset(variable: Variable, path: string): Dataset {
    const storage = this.storages[variable.id];
    this.variables.set(path, variable);
    return {
      kind: EntityKind.Dataset,
      name: segmentOf(variable),
      path,
      shape: shapeOf(variable) as Shape,
      type: variable.type === 'char' ? TEXT :
        float(SMALL.has(variable.type) ? 32 : 64),
      rawType: `${variable.type}, ${8 * BYTES[variable.type]} bits`,
      chunks: storage?.chunks.length ? storage.chunks : undefined,
      attributes: variable.attributes.map(attributeOf),
    };
  }

  private plot(variable: Variable, slice: string | undefined):
    GroupWithChildren {
    const path = pathOf(variable);
    const axes = axesOf(this.file.info, variable);
    const members = [variable, ...new Set(axes.filter((a) => a !== null))];
    return this.group(segmentOf(variable), path,
      members.map((v) => this.dataset(v, `${path}/${segmentOf(v)}`)), [
        textAttributeOf('NX_class', 'NXdata'),
        textAttributeOf('signal', segmentOf(variable)),
        textAttributeOf('axes', axes.map((a) => a ? segmentOf(a) : '.')),
        ...(slice ? [textAttributeOf('default_slice',
          slice.split(',').map((part) => part === ':' ? '.' : part))] : []),
      ]);
  }

  private add(entity: ProvidedEntity): void {
    this.entities.set(entity.path, entity);
    if (entity.kind === EntityKind.Group && 'children' in entity) {
      entity.children.forEach((child) => this.add(child as ProvidedEntity));
    }
  }

  /** The variable that a path is about. */
  variableAt(path: string): Variable | undefined {
    return this.variables.get(path) ??
      this.variables.get(`${path}${path}`);
  }

  override async getEntity(path: string): Promise<ProvidedEntity> {
    const entity = this.entities.get(path);
    if (!entity) {
      throw new Error(`No entity found at ${path}`);
    }
    return entity;
  }

  override async getAttrValues(entity: Entity): Promise<AttributeValues> {
    const attributes = this.entities.get(entity.path)?.attributes ?? [];
    return Object.fromEntries((attributes as Described[])
      .map(({ name, value }) => [name, value]));
  }

  override async getValue({ dataset, selection }: ValuesStoreParams,
    signal?: AbortSignal): Promise<unknown> {
    const variable = this.variables.get(dataset.path)!;
    const { start, count } = parseSelection(selection, dataset.shape.dims);
    if (variable.type === 'char') {
      return this.getText(variable, start, count, signal);
    }
    const { values } = await this.file.read(variable.id,
      { start, count, unpack: true, signal });
    setOrigin(values, variable.id);
    return dataset.shape.class === ShapeClass.Scalar ? values[0] : values;
  }

  private async getText(variable: Variable, start: number[], count: number[],
    signal?: AbortSignal): Promise<unknown> {
    const length = variable.shape.at(-1);
    const { values } = await this.file.read(variable.id,
      length === undefined ? { signal } :
        { start: [...start, 0], count: [...count, length], signal });
    const rows = rowsOf(values as Uint8Array, length ?? 1);
    return count.length === 0 ? rows[0] ?? '' : rows;
  }

  override getExportURL(_format: ExportFormat, _dataset: Dataset,
    _selection?: string, builtInExporter?: () => string):
    ExportURL | undefined {
    return builtInExporter && (async () => new Blob([builtInExporter()]));
  }

  override async getSearchablePaths(): Promise<string[]> {
    return [...this.entities.keys()];
  }
}

/** How all variables are stored; for the provider. */
export async function storagesOf(file: NetcdfFile): Promise<(Storage | null)[]> {
  if (!file.info.archive) {
    return [];
  }
  return Promise.all(file.info.variables.map((v) =>
    file.storage(v.id).catch((error: unknown) => {
      if (error instanceof ReaderError) {
        return null;
      }
      throw error;
    })));
}

