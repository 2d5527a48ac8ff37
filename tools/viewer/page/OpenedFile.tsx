/* SPDX-License-Identifier: MIT */
/** An open file: its panes, as tabs. */
import {
  lazy, Suspense, useMemo, useRef, useState, type ReactNode,
} from 'react';

import type { NetcdfFile } from '../reader/src/index';
import { readState, writeState } from './address';
import { OpenedContext, type Opened as OpenedValue } from './context';
import { Axes } from './data/axis';
import Data from './data/Data';
import { bytesText, ratioText } from './format';
import OpenButton from './OpenButton';

const Header = lazy(() => import('./panes/Header'));
const StoragePane = lazy(() => import('./panes/Storage'));
const Check = lazy(() => import('./panes/Check'));
const Pack = lazy(() => import('./panes/Pack'));

interface Props {
  file: NetcdfFile;
  source: Blob | string;
  name: string;
  /** Where the file was chosen. */
  list: string | null;
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

export default function Opened({ file, source, name, list, onOpen }: Props) {
  const [pane, setPane] = useState(readState().pane ?? 'data');
  const { archive } = file.info;
  const choose = (id: string) => {
    setPane(id);
    writeState({ pane: id === 'data' ? '' : id });
  };
  const opened = useMemo<OpenedValue>(() => ({
    file,
    axes: new Axes(file),
    name,
    isRemote: typeof source === 'string',
  }), [file]);
  const panes: Pane[] = [
    { id: 'data', title: 'Data', content: <Data /> },
    { id: 'header', title: 'Header', content: <Header /> },
    ...(archive ? [
      { id: 'storage', title: 'Storage', content: <StoragePane /> },
      { id: 'check', title: 'Check', content: <Check /> },
    ] : [
      { id: 'pack', title: 'Pack', content: <Pack source={source} /> },
    ]),
  ];
  const chosen = panes.find((p) => p.id === pane) ?? panes[0]!;
  return (
    <OpenedContext.Provider value={opened}>
      <header className="top">
        {list && <a href={list}>{'\u2039'} List</a>}
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
            className={id === 'data' ? undefined : 'pane'}>
            {/* what is drawn stays while another pane is looked at */}
            {(id === 'data' || id === chosen.id) && (
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
