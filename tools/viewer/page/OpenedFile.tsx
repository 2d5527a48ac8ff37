/* SPDX-License-Identifier: MIT */
/** An open file: its panes, as tabs. */
import { useMemo, useRef, useState, type ReactNode } from 'react';

import { readState, writeState } from './address';
import { OpenedContext } from './context';
import { Axes } from './data/axis';
import Data from './data/Data';
import { bytesText, ratioText } from './format';
import type { Opening } from './open';
import OpenButton from './OpenButton';
import Check from './panes/Check';
import Header from './panes/Header';
import StoragePane from './panes/Storage';

interface Props extends Opening {
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
  const { archive, bytes } = file.info;
  const choose = (id: string) => {
    setPane(id);
    writeState({ pane: id === 'data' ? '' : id });
  };
  const axes = useMemo(() => new Axes(file), [file]);
  const opened = useMemo(() => ({ file, axes, name, source }),
    [file, axes, name, source]);
  const panes: Pane[] = [
    { id: 'data', title: 'Data', content: <Data /> },
    { id: 'header', title: 'Header', content: <Header /> },
    ...(archive ? [
      { id: 'storage', title: 'Storage', content: <StoragePane /> },
      { id: 'check', title: 'Check', content: <Check /> },
    ] : []),
  ];
  const chosen = panes.find((p) => p.id === pane) ?? panes[0]!;
  return (
    <OpenedContext.Provider value={opened}>
      <header className="top">
        {list && <a href={list}>{'\u2039'} List</a>}
        <h1>{name}</h1>
        <span className="note">
          {bytesText(bytes)}
          {archive && <> in {bytesText(archive.bytes)}, ratio{' '}
            {ratioText(bytes, archive.bytes)}</>}</span>
        <Tabs panes={panes} chosen={chosen.id} onChoose={choose} />
        <OpenButton onOpen={onOpen} />
      </header>
      <main className="content">
        {panes.map(({ id, content }) => (
          <div key={id} role="tabpanel" id={`pane-${id}`}
            aria-labelledby={`tab-${id}`} hidden={id !== chosen.id}
            className={id === 'data' ? undefined : 'pane'}>
            {/* what is drawn stays while another pane is looked at */}
            {(id === 'data' || id === chosen.id) && content}
          </div>
        ))}
      </main>
    </OpenedContext.Provider>
  );
}
