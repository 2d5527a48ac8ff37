/* SPDX-License-Identifier: MIT */
/** Opens what is to be shown. */
import { open, type NetcdfFile } from '../reader/src/index';

export type Source = File | string;

export interface Opening {
  file: NetcdfFile;
  source: Source;
  /** Shown to people. */
  name: string;
}

export function nameOf(source: Source): string {
  return typeof source !== 'string' ? source.name :
    decodeURIComponent(new URL(source, location.href).pathname
      .split('/').at(-1)!) || source;
}

export async function openSource(source: Source): Promise<Opening> {
  const name = nameOf(source);
  try {
    return { file: await open(source), source, name };
  } catch (error) {
    if (error instanceof Error) {
      error.message = `${name}: ${error.message}`;
    }
    throw error;
  }
}
