/* SPDX-License-Identifier: MIT */
/** An open file, or several as one: its panes, as tabs. */
import {
  lazy, Suspense, useMemo, useRef, useState, type ReactNode,
} from 'react';

import { readState, writeState } from './address';
import { OpenedContext, type Opened as OpenedValue, type Refused }
  from './context';
import { Axes } from './data/axis';
import { Choice } from './data/Controls';
import Data from './data/Data';
import { bytesText, countText, ratioText } from './format';
import type { Opening } from './open';
import OpenButton from './OpenButton';

const Header = lazy(() => import('./panes/Header'));
const StoragePane = lazy(() => import('./panes/Storage'));
const Check = lazy(() => import('./panes/Check'));
const Pack = lazy(() => import('./panes/Pack'));

interface Props extends Opening {
  /** Where the file was chosen. */
  list: string | null;
  onOpen: (files: File[]) => void;
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

/** Why files that were to be opened are not shown. */
function Missing({ refused }: { refused: Refused[] }) {
  return (
    <details role="alert" className="banner" open={refused.length < 4}>
      <summary>{countText(refused.length, 'file')} not in this series</summary>
      <ul>{refused.map(({ name, why }) => (
        <li key={name}><b>{name}</b>: {why}</li>
      ))}</ul>
    </details>
  );
}

export default function Opened({ file, parts, name, refused, list, onOpen }:
  Props) {
  const [pane, setPane] = useState(readState().pane ?? 'data');
  const [at, setAt] = useState(0);
  const part = parts[at]!;
  const { archive, bytes } = file.info;
  const choose = (id: string) => {
    setPane(id);
    writeState({ pane: id === 'data' ? '' : id });
  };
  const axes = useMemo(() => new Axes(file), [file]);
  const opened = useMemo<OpenedValue>(() => ({ file, axes, name,
    nfiles: parts.length, part }), [file, axes, name, parts, part]);
  const panes: Pane[] = [
    { id: 'data', title: 'Data', content: <Data /> },
    { id: 'header', title: 'Header', content: <Header /> },
    ...(part.file.info.archive ? [
      { id: 'storage', title: 'Storage', content: <StoragePane /> },
      { id: 'check', title: 'Check', content: <Check /> },
    ] : [
      { id: 'pack', title: 'Pack', content: <Pack /> },
    ]),
  ];
  const chosen = panes.find((p) => p.id === pane) ?? panes[0]!;
  return (
    <OpenedContext.Provider value={opened}>
      <header className="top">
        {list && <a href={list}>{'\u2039'} List</a>}
        <h1>{name}</h1>
        <span className="note">
          {parts.length > 1 && `${countText(parts.length, 'file')}, `}
          {bytesText(bytes)}
          {archive && <> in {bytesText(archive.bytes)}, ratio{' '}
            {ratioText(bytes, archive.bytes)}</>}</span>
        <Tabs panes={panes} chosen={chosen.id} onChoose={choose} />
        <OpenButton onOpen={onOpen} />
      </header>
      {refused.length > 0 && <Missing refused={refused} />}
      <main className="content">
        {panes.map(({ id, title, content }) => (
          <div key={id} role="tabpanel" id={`pane-${id}`}
            aria-labelledby={`tab-${id}`} hidden={id !== chosen.id}
            className={id === 'data' ? undefined : 'pane'}>
            {id !== 'data' && parts.length > 1 && (
              <p className="part"><Choice label="File" value={String(at)}
                options={parts.map((p, i) => [String(i), p.name])}
                onChange={(i) => setAt(Number(i))} /></p>
            )}
            {/* what is drawn stays while another pane is looked at */}
            {id === 'data' && content}
            {id !== 'data' && id === chosen.id && (
              <Suspense key={at} fallback={<p role="status">{title} …</p>}>
                {content}
              </Suspense>
            )}
          </div>
        ))}
      </main>
    </OpenedContext.Provider>
  );
}
