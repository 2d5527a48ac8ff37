/* SPDX-License-Identifier: MIT */
import { useLayoutEffect, useState, type RefObject } from 'react';

/** The room that an element has, in pixels; 0 before it is known. */
export function useSize(element: RefObject<HTMLElement>) {
  const [size, setSize] = useState({ width: 0, height: 0 });

  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize({ width: Math.floor(width), height: Math.floor(height) });
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
