/* SPDX-License-Identifier: MIT */
/** Coastlines, loaded with the first map that has degrees. */
import { useEffect, useState } from 'react';

import { decompress } from '../../reader/src/module';
import { errorText } from '../format';

declare global {
  var nc3zCoast: string | undefined;
}

/** Longitudes and latitudes of points, in turn. */
export type Lines = Float32Array[];

let loading: Promise<Lines> | null = null;

/**
 * By a script beside the page, as few need them: from file:// no page may fetch(),
 * but a script element may load what brings a text.
 */
async function load(): Promise<Lines> {
  await new Promise<void>((resolve, reject) => {
    const element = document.createElement('script');
    element.src = 'coast.js';
    element.onload = () => resolve();
    element.onerror = () => reject(new Error(
      'coast.js could not be loaded: it must lie beside this page'));
    document.head.append(element);
  });
  const { steps, lines } = JSON.parse(
    new TextDecoder().decode(await decompress(globalThis.nc3zCoast!))) as
    { steps: number; lines: number[][] };
  return lines.map((differences) => {
    let [x, y] = [0, 0];
    return Float32Array.from(differences, (d, i) =>
      (i % 2 === 0 ? x += d : y += d) / steps);
  });
}

/** null until they are here, or wanted. */
export function useCoast(isWanted: boolean) {
  const [lines, setLines] = useState<Lines | null>(null);
  const [error, setError] = useState('');

  useEffect(() => {
    if (isWanted) {
      loading ??= load();
      loading.then(setLines, (e: unknown) => {
        loading = null;
        setError(errorText(e));
      });
    }
  }, [isWanted]);
  return { lines: isWanted ? lines : null, error: isWanted ? error : '' };
}
