/* SPDX-License-Identifier: MIT */
/** Coastlines, loaded with the first map that has degrees. */
import { useEffect, useState } from 'react';

import { decompress } from '../../reader/src/module';
import { textBeside } from '../beside';
import { errorText } from '../format';

/** Longitudes and latitudes of points, in turn. */
export type Lines = Float32Array[];

let loading: Promise<Lines> | null = null;

async function load(): Promise<Lines> {
  const text = await textBeside('coast.js', () => globalThis.nc3zCoast);
  const { steps, lines } = JSON.parse(
    new TextDecoder().decode(await decompress(text))) as
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
