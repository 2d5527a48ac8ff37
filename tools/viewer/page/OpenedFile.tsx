/* SPDX-License-Identifier: MIT */
/** An open file: H5Web, and our panes beside it, as tabs. */
import { App, DataProvider } from '@h5web/app';
import {
  lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode,
} from 'react';

import { Coordinates } from '../provider/coordinates';
import { pathOf, Provider, storagesOf } from '../provider/provider';
import type { NetcdfFile, Storage, Variable } from '../reader/src/index';
import { OpenedContext, type Opened as OpenedValue } from './context';
import { bytesText, ratioText } from './format';
import OpenButton from './OpenButton';
import type { PointChoice } from './panes/Point';
import { readState, setView, sliceOf, useView, writeState } from './view';

const Header = lazy(() => import('./panes/Header'));
const StoragePane = lazy(() => import('./panes/Storage'));
const Check = lazy(() => import('./panes/Check'));
const Point = lazy(() => import('./panes/Point'));
const Pack = lazy(() => import('./panes/Pack'));

interface Props {
  file: NetcdfFile;
  source: Blob | string;
  name: string;
  onOpen: (file: File) => void;
}

interface Pane {
  id: string;
  title: string;
  content: ReactNode;
}

function Tabs({ panes, chosen, onChoose }: { panes: { id: string;
  title: string }[]; chosen: string; onChoose: (id: string) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const at = panes.findIndex((p) => p.id === chosen);
  const keys: Record<string, number> = {
    ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: panes.length - 1,
  };
  return (
    <div role="tablist" aria-label="Views of the file" ref={list}
      onKeyDown={(e) => {
        if (e.key in keys) {
          const next = (keys[e.key]! + panes.length) % panes.length;
          onChoose(panes[next]!.id);
          (list.current!.children[next] as HTMLElement).focus();
          e.preventDefault();
        }
      }}>
      {panes.map(({ id, title }) => (
        <button key={id} type="button" role="tab" id={`tab-${id}`}
          aria-selected={id === chosen} aria-controls={`pane-${id}`}
          tabIndex={id === chosen ? 0 : -1} onClick={() => onChoose(id)}>
          {title}
        </button>
      ))}
    </div>
  );
}

/** Writes what H5Web shows into the address. */
function Address({ file }: { file: NetcdfFile }) {
  const { varid, mapping } = useView();
  useEffect(() => {
    const variable = file.info.variables[varid ?? -1];
    if (variable && variable.shape.length === mapping.length) {
      writeState({ variable: variable.name, slice: sliceOf(mapping) });
    }
  }, [file, varid, mapping]);
  return null;
}

/** The state of the address, as far as it fits this file. */
function startOf(file: NetcdfFile) {
  const { variable: name, slice } = readState();
  const variable = file.info.variables.find((v) => v.name === name);
  const slices = new Map<number, string>();
  const parts = slice?.split(',') ?? [];
  if (variable && parts.length === variable.shape.length &&
      parts.every((part, dim) => part === ':' ||
        /^\d+$/.test(part) && Number(part) < variable.shape[dim]!)) {
    slices.set(variable.id, slice!);
  }
  return { variable, slices };
}

function useProvider(file: NetcdfFile, name: string) {
  const [storages, setStorages] = useState<(Storage | null)[]>();
  const start = useMemo(() => startOf(file), [file]);

  useEffect(() => {
    setView({ varid: undefined, mapping: [] });
    void storagesOf(file).then(setStorages);
  }, [file]);
  const provider = useMemo(() => storages &&
    new Provider(file, name, storages, start.slices), [storages]);
  return provider && { provider, path: start.variable ?
    pathOf(start.variable) : provider.defaultPath };
}

export default function Opened({ file, source, name, onOpen }: Props) {
  const [pane, setPane] = useState(readState().pane ?? 'data');
  const [point, setPoint] = useState<PointChoice | null>(null);
  const h5web = useProvider(file, name);
  const { archive } = file.info;
  const choose = (id: string) => {
    setPane(id);
    writeState({ pane: id === 'data' ? '' : id });
  };
  const opened = useMemo<OpenedValue>(() => ({
    file,
    coordinates: new Coordinates(file),
    name,
    isRemote: typeof source === 'string',
    onPoint(variable: Variable, at: number[]) {
      setPoint({ variable, point: at });
      choose('point');
    },
  }), [file]);
  const panes: Pane[] = [
    { id: 'data', title: 'Data', content: null },
    { id: 'header', title: 'Header', content: <Header /> },
    ...(archive ? [
      { id: 'storage', title: 'Storage', content: <StoragePane /> },
      { id: 'check', title: 'Check', content: <Check /> },
    ] : [
      { id: 'pack', title: 'Pack', content: <Pack source={source} /> },
    ]),
    { id: 'point', title: 'Point', content: <Point choice={point} /> },
  ];
  const chosen = panes.find((p) => p.id === pane) ?? panes[0]!;
  return (
    <OpenedContext.Provider value={opened}>
      <Address file={file} />
      <header className="top">
        <h1>{name}</h1>
        <span className="note">{bytesText(file.info.bytes)}
          {archive && <> in {bytesText(archive.bytes)}, ratio{' '}
            {ratioText(file.info.bytes, archive.bytes)}</>}</span>
        <Tabs panes={panes} chosen={chosen.id} onChoose={choose} />
        <OpenButton onOpen={onOpen} />
      </header>
      <main className="content">
        {panes.map(({ id, title, content }) => (
          <div key={id} role="tabpanel" id={`pane-${id}`}
            aria-labelledby={`tab-${id}`} hidden={id !== chosen.id}
            className={id === 'data' ? 'h5web' : 'pane'}>
            {id === 'data' && h5web && (
              <DataProvider api={h5web.provider}>
                <App initialPath={h5web.path} />
              </DataProvider>
            )}
            {id !== 'data' && id === chosen.id && (
              <Suspense fallback={<p role="status">{title} …</p>}>
                {content}
              </Suspense>
            )}
          </div>
        ))}
      </main>
    </OpenedContext.Provider>
  );
}
