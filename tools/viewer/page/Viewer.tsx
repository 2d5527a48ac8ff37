/* SPDX-License-Identifier: MIT */
/** The page: a file is opened, or one is open. */
import { useCallback, useEffect, useRef, useState } from 'react';

import { open, type NetcdfFile } from '../reader/src/index';
import { errorText } from './format';
import Opened from './OpenedFile';
import Welcome from './Welcome';

interface Open {
  file: NetcdfFile;
  source: Blob | string;
  name: string;
}

function nameOf(source: Blob | string): string {
  return typeof source === 'string' ?
    decodeURIComponent(new URL(source, location.href).pathname
      .split('/').at(-1)!) || source :
    source instanceof File ? source.name : 'file';
}

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
  if (text === null) {
    return null;
  }
  const url = new URL(text, location.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(location.protocol === 'file:' && url.protocol === 'file:' ?
      'a browser does not let pages read files by their address: open or ' +
      'drop the file, or use nc3view' :
      `only http and https addresses can be opened: ${text}`);
  }
  return url.href;
}

export default function Viewer() {
  const [opened, setOpened] = useState<Open>();
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  const current = useRef<NetcdfFile>();

  const show = useCallback(async (source: Blob | string) => {
    const name = nameOf(source);
    setBusy(name);
    setError('');
    try {
      const file = await open(source);
      await current.current?.close();
      current.current = file;
      setOpened({ file, source, name });
      document.title = `${name} \u2013 nc3z viewer`;
    } catch (e) {
      setError(`${name}: ${errorText(e)}`);
    } finally {
      setBusy('');
    }
  }, []);

  const openFile = useCallback((file: File) => {
    // variable and slice in the address are those of another file
    history.replaceState(null, '', location.pathname);
    void show(file);
  }, [show]);

  useEffect(() => {
    try {
      const url = urlOfAddress();
      if (url !== null) {
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
      <Opened key={opened.name + opened.file.info.name} {...opened}
        list={listOfAddress()} onOpen={openFile} />
    </>
  ) : <Welcome busy={busy} error={error} onOpen={openFile} />;
}
