/* SPDX-License-Identifier: MIT */
/**
 * @h5web/lib as @h5web/app gets it (see build.mjs), with three parts wrapped:
 * sliders that say where they stand, in dates where these are times; titles that
 * say so, too; and maps that can be clicked.
 */
import * as lib from '@h5web/lib';
import { useContext, useEffect, useRef, type ComponentProps } from 'react';

import { originOf } from '../provider/ndarray';
import { OpenedContext, useSliceLabels } from './context';
import { setView, useView } from './view';

export * from '@h5web/lib';

export function DimensionMapper(props: ComponentProps<typeof lib.DimensionMapper>) {
  const { dimMapping } = props;
  const { varid } = useView();
  const opened = useContext(OpenedContext);
  const variable = opened?.file.info.variables[varid ?? -1];
  const labels = useSliceLabels(varid, dimMapping);

  useEffect(() => setView({ mapping: dimMapping }), [dimMapping]);
  const hints = variable?.shape.length === dimMapping.length ?
    variable.dimensions : undefined;
  return (
    <div className="mapper">
      <lib.DimensionMapper {...props} dimHints={hints ?? props.dimHints} />
      {labels.length > 0 && (
        <p className="slice" aria-live="polite">
          {labels.map(({ dimension, text }) => (
            <span key={dimension}><b>{dimension}</b> {text}</span>
          ))}
        </p>
      )}
    </div>
  );
}

function useTitle(data: object, title: string | undefined) {
  const { mapping } = useView();
  const varid = originOf(data);
  const labels = useSliceLabels(varid, mapping);

  useEffect(() => {
    if (varid !== undefined) {
      setView({ varid });
    }
  }, [varid]);
  const at = labels.map(({ dimension, text }) => `${dimension} ${text}`);
  return { varid, title: [title, ...at].filter(Boolean).join(' \u00b7 ') };
}

/** The index of the value of an axis that is nearest. */
export function nearest(values: ArrayLike<number>, wanted: number): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) {
    if (Math.abs(values[i]! - wanted) < Math.abs(values[best]! - wanted)) {
      best = i;
    }
  }
  return best;
}

function Clicks({ varid, x, y }: { varid: number;
  x?: ArrayLike<number>; y?: ArrayLike<number> }) {
  const opened = useContext(OpenedContext);
  const { mapping } = useView();
  const variable = opened?.file.info.variables[varid];

  const pressed = useRef<PointerEvent>();
  lib.useCanvasEvent('pointerdown', ({ sourceEvent }) => {
    pressed.current = sourceEvent;
  });
  lib.useCanvasEvent('click', ({ dataPt, sourceEvent }) => {
    const from = pressed.current;
    // what moved is a pan
    if (!opened || variable?.shape.length !== mapping.length || !from ||
        Math.hypot(sourceEvent.clientX - from.clientX,
          sourceEvent.clientY - from.clientY) > 3) {
      return;
    }
    const point = mapping.map((m, dim) => {
      const at = m === 'x' ? dataPt.x : dataPt.y;
      const values = m === 'x' ? x : y;
      const index = typeof m === 'number' ? m : m === null ? 0 :
        values ? nearest(values, at) : Math.floor(at);
      return Math.min(Math.max(index, 0), variable.shape[dim]! - 1);
    });
    opened.onPoint(variable, point);
  });
  return null;
}

export function HeatmapVis(props: ComponentProps<typeof lib.HeatmapVis>) {
  const { varid, title } = useTitle(props.dataArray.data, props.title);
  return (
    <lib.HeatmapVis {...props} title={title}>
      {props.children}
      {varid !== undefined && (
        <Clicks varid={varid} x={props.abscissaParams?.value}
          y={props.ordinateParams?.value} />
      )}
    </lib.HeatmapVis>
  );
}

export function LineVis(props: ComponentProps<typeof lib.LineVis>) {
  const { title } = useTitle(props.dataArray.data, props.title);
  return <lib.LineVis {...props} title={title} />;
}
