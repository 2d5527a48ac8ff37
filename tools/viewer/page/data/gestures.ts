/* SPDX-License-Identifier: MIT */
/** What a pointer does on a map: look, drag, pinch, turn the wheel, click. */
import { useEffect, useRef, type PointerEvent, type RefObject } from 'react';

/** Places are parts of the element, 0 to 1 from top left. */
export type Place = [number, number];

export interface Reactions {
  onLook: (place: Place | null) => void;
  onMove: (by: Place) => void;
  onZoom: (factor: number, at: Place) => void;
  onClick: (place: Place) => void;
}

/** A finger or a hand may tremble so many pixels in a click. */
const STILL = 4;

const middle = (a: Place, b: Place): Place =>
  [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];

export function useGestures(element: RefObject<HTMLElement>,
  reactions: Reactions) {
  const down = useRef(new Map<number, Place>());
  const travelled = useRef(0);
  const now = useRef(reactions);
  useEffect(() => {
    now.current = reactions;
  });

  const placeOf = (e: { clientX: number; clientY: number }): Place => {
    const box = element.current!.getBoundingClientRect();
    return [(e.clientX - box.left) / box.width,
      (e.clientY - box.top) / box.height];
  };

  // React's own listener may not keep the page from scrolling
  useEffect(() => {
    const target = element.current!;
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      now.current.onZoom(1.0015 ** -e.deltaY, placeOf(e));
    };
    target.addEventListener('wheel', wheel, { passive: false });
    return () => target.removeEventListener('wheel', wheel);
  }, [element]);

  const move = (e: PointerEvent, from: Place) => {
    const to = placeOf(e);
    const box = element.current!.getBoundingClientRect();
    const other = [...down.current].find(([id]) => id !== e.pointerId)?.[1];
    travelled.current += Math.hypot((to[0] - from[0]) * box.width,
      (to[1] - from[1]) * box.height);
    down.current.set(e.pointerId, to);
    if (travelled.current <= STILL) {
      return;
    }
    if (other) {
      const far = (a: Place) => Math.hypot((a[0] - other[0]) * box.width,
        (a[1] - other[1]) * box.height);
      now.current.onZoom(far(to) / Math.max(far(from), 1), middle(to, other));
    } else {
      now.current.onMove([from[0] - to[0], from[1] - to[1]]);
    }
  };
  const end = (e: PointerEvent) => {
    const wasDown = down.current.delete(e.pointerId);
    if (wasDown && e.type === 'pointerup' && down.current.size === 0 &&
        travelled.current <= STILL) {
      now.current.onClick(placeOf(e));
    }
  };
  return {
    onPointerDown(e: PointerEvent) {
      if (down.current.size === 0) {
        travelled.current = 0;
      }
      down.current.set(e.pointerId, placeOf(e));
      e.currentTarget.setPointerCapture(e.pointerId);
    },
    onPointerMove(e: PointerEvent) {
      const from = down.current.get(e.pointerId);
      if (from) {
        move(e, from);
      }
      now.current.onLook(placeOf(e));
    },
    onPointerUp: end,
    onPointerCancel: end,
    onPointerLeave: () => now.current.onLook(null),
  };
}
