/* SPDX-License-Identifier: MIT */
/**
 * In place of the packages ndarray and ndarray-ops, which compile their code at
 * run time: the page's content security policy forbids that, rightly.  What
 * @h5web uses of them, with the same names.
 */
type Data = ArrayLike<unknown> & Record<number, unknown>;

export default function ndarray(data: Data, shape: number[] = [data.length],
  stride?: number[], offset = 0): NdArray {
  return new NdArray(data, shape, stride ?? strides(shape), offset);
}

function strides(shape: number[]): number[] {
  const stride = shape.map(() => 1);
  for (let i = shape.length - 1, n = 1; i >= 0; i--) {
    stride[i] = n;
    n *= shape[i]!;
  }
  return stride;
}

export class NdArray {
  constructor(readonly data: Data, readonly shape: number[],
    readonly stride: number[], readonly offset: number) {}

  get size(): number {
    return this.shape.reduce((a, b) => a * b, 1);
  }

  get dimension(): number {
    return this.shape.length;
  }

  get dtype(): string {
    return Array.isArray(this.data) ? 'array' :
      this.data.constructor.name.replace(/Array$/, '').toLowerCase();
  }

  index(...at: number[]): number {
    return at.reduce((n, i, dim) => n + i * this.stride[dim]!, this.offset);
  }

  get(...at: number[]): unknown {
    return this.data[this.index(...at)];
  }

  set(...at: unknown[]): void {
    const value = at.pop();
    this.data[this.index(...at as number[])] = value;
  }

  /** Fixes the dimensions that are given a number. */
  pick(...at: (number | null | undefined)[]): NdArray {
    let { offset } = this;
    const shape: number[] = [];
    const stride: number[] = [];
    this.shape.forEach((length, dim) => {
      const i = at[dim];
      if (typeof i === 'number' && i >= 0) {
        offset += i * this.stride[dim]!;
      } else {
        shape.push(length);
        stride.push(this.stride[dim]!);
      }
    });
    return new NdArray(this.data, shape, stride, offset);
  }

  transpose(...order: number[]): NdArray {
    const dims = order.length > 0 ? order : this.shape.map((_, i) => i).reverse();
    return new NdArray(this.data, dims.map((d) => this.shape[d]!),
      dims.map((d) => this.stride[d]!), this.offset);
  }

  lo(...first: (number | undefined)[]): NdArray {
    return new NdArray(this.data,
      this.shape.map((n, dim) => n - (first[dim] ?? 0)), this.stride,
      this.index(...this.shape.map((_, dim) => first[dim] ?? 0)));
  }

  hi(...end: (number | undefined)[]): NdArray {
    return new NdArray(this.data, this.shape.map((n, dim) => end[dim] ?? n),
      this.stride, this.offset);
  }

  step(...steps: (number | undefined)[]): NdArray {
    let { offset } = this;
    const shape = this.shape.map((n, dim) => {
      const step = steps[dim] ?? 1;
      if (step < 0) {
        offset += this.stride[dim]! * (n - 1);
      }
      return Math.ceil(n / Math.abs(step));
    });
    return new NdArray(this.data, shape,
      this.stride.map((s, dim) => s * (steps[dim] ?? 1)), offset);
  }
}

/** Which variable values are of; goes from an array to its copies. */
const origins = new WeakMap<object, number>();

export function setOrigin(data: object, varid: number): void {
  origins.set(data, varid);
}

export function originOf(data: object): number | undefined {
  return origins.get(data);
}

/** to[...] = from[...] */
export function assign(to: NdArray, from: NdArray): void {
  const origin = origins.get(from.data);
  if (origin !== undefined) {
    origins.set(to.data, origin);
  }
  const last = to.dimension - 1;
  const copy = (dim: number, i: number, j: number): void => {
    if (dim > last) {
      to.data[i] = from.data[j];
      return;
    }
    const n = to.shape[dim]!;
    const a = to.stride[dim]!;
    const b = from.stride[dim]!;
    if (dim === last) {
      for (let k = 0; k < n; k++) {
        to.data[i + k * a] = from.data[j + k * b];
      }
      return;
    }
    for (let k = 0; k < n; k++) {
      copy(dim + 1, i + k * a, j + k * b);
    }
  };
  copy(0, to.offset, from.offset);
}
