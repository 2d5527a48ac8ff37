/* SPDX-License-Identifier: MIT */
/** The page: a file is opened, or one is open. */
import { useCallback, useEffect, useRef, useState } from 'react';

import { leaveFile, whenChanged } from './address';
import { errorText } from './format';
import { nameOf, openSource, type Opening, type Source } from './open';
import Opened from './OpenedFile';
import Welcome from './Welcome';

/** ?list=..., the way back, if it is a place of this server. */
export function listOfAddress(): string | null {
  const text = new URLSearchParams(location.search).get('list');
  const url = text === null ? null : new URL(text, location.href);
  return url?.origin === location.origin && /^https?:$/.test(url.protocol) ?
    url.href : null;
}

/** ?url=..., of the schemes that can be read. */
function urlOfAddress(): string | null {
  const text = new URLSearchParams(location.search).get('url');
  const url = text === null ? null : new URL(text, location.href);
  if (url && url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(location.protocol === 'file:' && url.protocol === 'file:' ?
      'a browser does not let pages read files by their address: open or ' +
      'drop the file, or use nc3view' :
      `only http and https addresses can be opened: ${text}`);
  }
  return url && url.href;
}

export default function Viewer() {
  const [opened, setOpened] = useState<Opening>();
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  const current = useRef<Opening>();
  const [nvisits, setNvisits] = useState(0);

  useEffect(() => whenChanged(() => setNvisits((n) => n + 1)), []);

  const show = useCallback(async (source: Source) => {
    setError('');
    setBusy(nameOf(source));
    try {
      const opening = await openSource(source);
      await current.current?.file.close();
      current.current = opening;
      setOpened(opening);
      document.title = `${opening.name} \u2013 nc3z viewer`;
    } catch (e) {
      setError(errorText(e));
    } finally {
      setBusy('');
    }
  }, []);

  const openFile = useCallback((file: File) => {
    leaveFile();
    void show(file);
  }, [show]);

  useEffect(() => {
    try {
      const url = urlOfAddress();
      if (url) {
        void show(url);
      }
    } catch (e) {
      setError(errorText(e));
    }
  }, [show]);

  useEffect(() => {
    const over = (e: DragEvent) => e.preventDefault();
    const drop = (e: DragEvent) => {
      e.preventDefault();
      const file = e.dataTransfer?.files[0];
      if (file) {
        openFile(file);
      }
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [openFile]);

  return opened ? (
    <>
      {error && <p role="alert" className="banner">{error}</p>}
      {busy && <p role="status" className="banner">Opening {busy} …</p>}
      <Opened key={`${nvisits} ${opened.name}${opened.file.info.name}`} {...opened}
        list={listOfAddress()} onOpen={openFile} />
    </>
  ) : <Welcome busy={busy} error={error} onOpen={openFile} />;
}
