/* SPDX-License-Identifier: MIT */
/** Before a file is open. */
import OpenButton from './OpenButton';

export default function Welcome({ busy, error, onOpen }: { busy: string;
  error: string; onOpen: (file: File) => void }) {
  return (
    <main className="welcome">
      <h1>nc3z viewer</h1>
      <p>Drop an nc3z archive or a netCDF classic file here, or</p>
      <p><OpenButton onOpen={onOpen} /></p>
      <form onSubmit={(e) => {
        e.preventDefault();
        const url = new FormData(e.currentTarget).get('url');
        location.search = new URLSearchParams({ url: String(url) }).toString();
      }}>
        <label>or the address of one on a web server{' '}
          <input name="url" type="url" required placeholder="https://" />
        </label>{' '}
        <button type="submit">Open</button>
      </form>
      <p className="note">Files are read in this tab. Nothing is sent
        anywhere.</p>
      {busy && <p role="status">Opening {busy} …</p>}
      {error && <p role="alert">{error}</p>}
    </main>
  );
}
