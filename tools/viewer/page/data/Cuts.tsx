/* SPDX-License-Identifier: MIT */
/** Where dimensions are cut that are no axes; one of them may run. */
import { useEffect, useRef, useState } from 'react';

import type { Mapping } from '../address';
import { useOpened } from '../context';
import { axesOf } from '../variables';
import { Choice, Cut } from './Controls';
import type { Shown } from './Data';

/** How films run: steps, and milliseconds between two pictures, at least. */
const SPEEDS: Record<string, [number, number]> = { slow: [1, 600],
  normal: [1, 150], fast: [1, 40], backwards: [-1, 150] };

const STEPS: Record<string, number> = { ArrowLeft: -1, ',': -1, ArrowRight: 1,
  '.': 1 };

/** What takes keys itself. */
const TAKES_KEYS = 'input, select, textarea, [role=application], ' +
  '[role=slider], [role=tab], [role=region]';

/** The dimension that keys move: of time, or else the first. */
function useKeys({ variable, mapping }: Shown, dims: number[],
  move: (dim: number, at: number) => void) {
  const { file } = useOpened();
  /** Not there while another pane is. */
  const room = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const axes = axesOf(file.info, variable);
    const dim = dims.find((d) => axes[d]?.isTime) ?? dims[0];
    const onKeyDown = (e: KeyboardEvent) => {
      const at = (mapping[dim!] as number) + (STEPS[e.key] ?? NaN);
      if (dim !== undefined && at >= 0 && at < variable.shape[dim]! &&
          !e.ctrlKey && !e.altKey && !e.metaKey &&
          !(e.target as Element).closest?.(TAKES_KEYS) &&
          room.current?.offsetParent) {
        e.preventDefault();
        move(dim, at);
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
  return room;
}

export default function Cuts({ shown, dims, isNow, onMapping }: { shown: Shown;
  dims: number[]; isNow: boolean; onMapping: (mapping: Mapping) => void }) {
  const { variable, mapping } = shown;
  const [playing, setPlaying] = useState<number | null>(null);
  const [speed, setSpeed] = useState('normal');
  const move = (dim: number, at: number) =>
    onMapping(mapping.map((m, i) => i === dim ? at : m));

  const room = useKeys(shown, dims, (dim, at) => {
    setPlaying(null);
    move(dim, at);
  });
  // the next picture once this one is there, however long that takes
  useEffect(() => {
    const at = mapping[playing ?? -1];
    if (!isNow || playing === null || typeof at !== 'number') {
      return undefined;
    }
    const [step, time] = SPEEDS[speed]!;
    const n = variable.shape[playing]!;
    const timer = setTimeout(() => move(playing, (at + step + n) % n), time);
    return () => clearTimeout(timer);
  }, [playing, isNow, mapping, speed]);

  return dims.length === 0 ? null : (
    <div className="cuts" ref={room}>
      {dims.map((dim) => (
        <Cut key={dim} variable={variable} dim={dim}
          at={mapping[dim] as number} isPlaying={playing === dim}
          onPlay={(on) => setPlaying(on ? dim : null)}
          onChange={(at) => {
            setPlaying(null);
            move(dim, at);
          }} />
      ))}
      {dims.some((dim) => variable.shape[dim]! > 1) && (
        <Choice label="speed" value={speed} options={Object.keys(SPEEDS)}
          onChange={setSpeed} />
      )}
    </div>
  );
}
