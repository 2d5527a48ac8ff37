/* SPDX-License-Identifier: MIT */
/** Opens what is to be shown: a file, or several that are one series. */
import { open } from '../reader/src/index';
import type { DataFile, Part, Refused } from './context';
import { join } from './data/joined';
import { errorText } from './format';

/** As many as a year has days. */
const FILES_MAX = 366;

export type Source = Blob | string;

export interface Opening {
  file: DataFile;
  /** In the order of the series. */
  parts: Part[];
  name: string;
  refused: Refused[];
}

export function nameOf(source: Source): string {
  return typeof source === 'string' ?
    decodeURIComponent(new URL(source, location.href).pathname
      .split('/').at(-1)!) || source :
    source instanceof File ? source.name : 'file';
}

/** The only one that is left. */
function one(parts: Part[], refused: Refused[]): Opening {
  const [part] = parts;
  if (!part) {
    throw new Error(`${refused[0]!.name}: ${refused[0]!.why}`);
  }
  return { file: part.file, parts, name: part.name, refused };
}

async function openSeries(parts: Part[], refused: Refused[]): Promise<Opening> {
  const series = await join(parts, refused);
  await Promise.all(parts.filter((part) => !series.parts.includes(part))
    .map(({ file }) => file.close()));
  return series.parts.length > 1 ?
    { ...series, name: series.file.info.name, refused } :
    one(series.parts, refused);
}

export async function openAll(sources: Source[],
  onProgress: (what: string) => void): Promise<Opening> {
  if (sources.length > FILES_MAX) {
    throw new Error(`${sources.length} files are too many to be opened as one ` +
      `series: at most ${FILES_MAX} can be`);
  }
  const parts: Part[] = [];
  const refused: Refused[] = [];
  try {
    for (const [i, source] of sources.entries()) {
      const name = nameOf(source);
      onProgress(sources.length === 1 ? name :
        `${name}, ${i + 1} of ${sources.length}`);
      await open(source).then((file) => parts.push({ file, source, name }),
        (error: unknown) => refused.push({ name, why: errorText(error) }));
    }
    return parts.length > 1 ? await openSeries(parts, refused) :
      one(parts, refused);
  } catch (error) {
    await Promise.all(parts.map(({ file }) => file.close()));
    throw error;
  }
}
