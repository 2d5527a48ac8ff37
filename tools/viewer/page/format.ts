/* SPDX-License-Identifier: MIT */
/** Numbers as people read them. */

export function bytesText(n: number): string {
  for (const [unit, size] of [['TB', 1e12], ['GB', 1e9], ['MB', 1e6],
    ['kB', 1e3]] as const) {
    if (n >= size) {
      return `${(n / size).toPrecision(3)} ${unit}`;
    }
  }
  return `${n} bytes`;
}

export function countText(n: number, what: string): string {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
}

export function ratioText(original: number, stored: number): string {
  return stored > 0 ? (original / stored).toFixed(2) : '\u2013';
}

export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const { kind, block } = (error ?? {}) as { kind?: string; block?: number };
  return kind === 'damaged' && block !== undefined ?
    `${text}. All other blocks can still be read; nc3salvage rebuilds an ` +
    'archive from what is left.' : text;
}

export function isAborted(error: unknown): boolean {
  return (error as { name?: string; kind?: string } | null)?.name ===
    'AbortError' || (error as { kind?: string } | null)?.kind === 'aborted';
}

export function save(name: string, data: BlobPart, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
