/* SPDX-License-Identifier: MIT */
/** Where dimensions are cut that are no axes; one of them may run. */
import { useEffect, useState } from 'react';

import type { Mapping } from '../address';
import { Cut } from './Controls';
import type { Shown } from './Data';

/** Between two pictures of a film, at least. */
const FRAME_MS = 150;

export default function Cuts({ shown, dims, isNow, onMapping }: { shown: Shown;
  dims: number[]; isNow: boolean; onMapping: (mapping: Mapping) => void }) {
  const { variable, mapping } = shown;
  const [playing, setPlaying] = useState<number | null>(null);
  const move = (dim: number, at: number) =>
    onMapping(mapping.map((m, i) => i === dim ? at : m));

  // the next picture once this one is there, however long that takes
  useEffect(() => {
    const at = mapping[playing ?? -1];
    if (!isNow || playing === null || typeof at !== 'number') {
      return undefined;
    }
    const timer = setTimeout(() =>
      move(playing, (at + 1) % variable.shape[playing]!), FRAME_MS);
    return () => clearTimeout(timer);
  }, [playing, isNow, mapping]);

  return dims.length === 0 ? null : (
    <div className="cuts">
      {dims.map((dim) => (
        <Cut key={dim} variable={variable} dim={dim}
          at={mapping[dim] as number} isPlaying={playing === dim}
          onPlay={(on) => setPlaying(on ? dim : null)}
          onChange={(at) => {
            setPlaying(null);
            move(dim, at);
          }} />
      ))}
    </div>
  );
}
