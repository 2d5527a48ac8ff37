/* SPDX-License-Identifier: MIT */
/** Variables as pictures and numbers. */
import { useEffect, useMemo, useState } from 'react';

import type { Variable } from '../../reader/src/index';
import { parseSlice, readState, sliceText, writeState, type Mapping }
  from '../address';
import { useOpened } from '../context';
import {
  axesOf, firstVariable, isText, sizeOf, titleOf,
} from '../variables';
import { kindOf } from './axis';
import Cuts from './Cuts';
import type { Way } from './Controls';
import Picture from './Picture';
import { mappingOf } from './slice';
import { Single, Text } from './Table';
import Variables from './Variables';

/** A variable, and what is shown of it. */
export interface Shown {
  variable: Variable;
  mapping: Mapping;
  /** What was on the axes at first. */
  start: Mapping;
}

function startOf(variables: Variable[], first: Variable | undefined):
  Variable | undefined {
  const { variable } = readState();
  return variables.find((v) => v.name === variable) ?? first;
}

/** Dimensions that another variable was cut at stay where they were. */
function mappingLike(variable: Variable, kinds: (string | null)[],
  before: Shown | undefined): Mapping {
  return mappingOf(variable, kinds).map((m, dim) => {
    const old = before?.variable.dimensions.indexOf(variable.dimensions[dim]!);
    const at = old === undefined || old < 0 ? 0 : before!.mapping[old];
    return typeof m === 'number' && typeof at === 'number' &&
      at < variable.shape[dim]! ? at : m;
  });
}

function useShown() {
  const { file } = useOpened();
  const { info } = file;
  const kinds = (v: Variable) =>
    axesOf(info, v).map((axis) => axis && kindOf(axis));
  const [shown, setShown] = useState<Shown | undefined>(() => {
    const variable = startOf(info.variables, firstVariable(info));
    const start = variable && mappingOf(variable, kinds(variable));
    return variable && start && { variable, start, mapping:
      parseSlice(readState().slice, variable.shape) ?? start };
  });
  const choose = (variable: Variable) => {
    if (variable !== shown?.variable) {
      writeState({ limits: '', window: '' });
    }
    setShown({ variable, start: mappingOf(variable, kinds(variable)),
      mapping: mappingLike(variable, kinds(variable), shown) });
  };

  useEffect(() => {
    if (shown) {
      writeState({ variable: shown.variable.name,
        slice: sliceText(shown.mapping) });
    }
  }, [shown]);
  return { shown, choose, setMapping: (mapping: Mapping) =>
    setShown((now) => now && { ...now, mapping }) };
}

export default function Data() {
  const { file } = useOpened();
  const { shown, choose, setMapping } = useShown();
  const [way, setWay] = useState<Way>();
  const isDrawn = shown && !isText(shown.variable) && sizeOf(shown.variable) > 1;
  const cuts = useMemo(() => shown?.mapping.flatMap((m, dim) =>
    typeof m === 'number' && (shown.variable.shape[dim]! > 1 ||
      axesOf(file.info, shown.variable)[dim]) ? [dim] : []) ?? [],
  [file, shown]);
  return (
    <div className="data">
      <Variables chosen={shown?.variable} onChoose={choose} />
      {!shown && <p>The file has no variables.</p>}
      {shown && !isDrawn && (
        <section className="shown">
          <header><h2>{titleOf(shown.variable)}</h2></header>
          {sizeOf(shown.variable) === 0 ?
            <p>{shown.variable.name} has no values: a dimension of it is 0.</p> :
            isText(shown.variable) ?
              <Text key={shown.variable.id} variable={shown.variable} /> :
              <Single key={shown.variable.id} variable={shown.variable} />}
        </section>
      )}
      {shown && isDrawn && (
        <Picture key={shown.variable.id} shown={shown} way={way} onWay={setWay}
          onMapping={setMapping}>
          {(isNow) => <Cuts shown={shown} dims={cuts} isNow={isNow}
            onMapping={setMapping} />}
        </Picture>
      )}
    </div>
  );
}
