/* SPDX-License-Identifier: MIT */
/** The page: a file is opened, or one is open. */
import { useCallback, useEffect, useRef, useState } from 'react';

import { leaveFile, whenChanged } from './address';
import { errorText } from './format';
import { openAll, type Opening, type Source } from './open';
import Opened from './OpenedFile';
import Welcome from './Welcome';

/** ?list=..., the way back, if it is a place of this server. */
export function listOfAddress(): string | null {
  const text = new URLSearchParams(location.search).get('list');
  const url = text === null ? null : new URL(text, location.href);
  return url?.origin === location.origin && /^https?:$/.test(url.protocol) ?
    url.href : null;
}

/** ?url=..., or several, of the schemes that can be read. */
function urlsOfAddress(): string[] {
  return new URLSearchParams(location.search).getAll('url').map((text) => {
    const url = new URL(text, location.href);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new Error(location.protocol === 'file:' &&
        url.protocol === 'file:' ?
        'a browser does not let pages read files by their address: open or ' +
        'drop the file, or use nc3view' :
        `only http and https addresses can be opened: ${text}`);
    }
    return url.href;
  });
}

export default function Viewer() {
  const [opened, setOpened] = useState<Opening>();
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  const current = useRef<Opening>();
  const [nvisits, setNvisits] = useState(0);

  useEffect(() => whenChanged(() => setNvisits((n) => n + 1)), []);

  const show = useCallback(async (sources: Source[]) => {
    setError('');
    try {
      const opening = await openAll(sources, setBusy);
      await Promise.all(current.current?.parts
        .map(({ file }) => file.close()) ?? []);
      current.current = opening;
      setOpened(opening);
      document.title = `${opening.name} \u2013 nc3z viewer`;
    } catch (e) {
      setError(errorText(e));
    } finally {
      setBusy('');
    }
  }, []);

  const openFiles = useCallback((files: File[]) => {
    leaveFile();
    void show(files);
  }, [show]);

  useEffect(() => {
    try {
      const urls = urlsOfAddress();
      if (urls.length > 0) {
        void show(urls);
      }
    } catch (e) {
      setError(errorText(e));
    }
  }, [show]);

  useEffect(() => {
    const over = (e: DragEvent) => e.preventDefault();
    const drop = (e: DragEvent) => {
      e.preventDefault();
      const files = [...e.dataTransfer?.files ?? []];
      if (files.length > 0) {
        openFiles(files);
      }
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [openFiles]);

  return opened ? (
    <>
      {error && <p role="alert" className="banner">{error}</p>}
      {busy && <p role="status" className="banner">Opening {busy} …</p>}
      <Opened key={`${nvisits} ${opened.name}${opened.file.info.name}`} {...opened}
        list={listOfAddress()} onOpen={openFiles} />
    </>
  ) : <Welcome busy={busy} error={error} onOpen={openFiles} />;
}
