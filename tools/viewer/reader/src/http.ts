/* SPDX-License-Identifier: MIT */
/** Ranges of a file on a web server, and clear words where that fails. */
import { ReaderError } from './types';

/** What must stay the same while a file is read. */
export interface Identity {
  size: number;
  /** ETag or, where the server does not show it, Last-Modified. */
  mark: string | null;
}

const RANGES_HELP =
  'An archive is read in parts: put it on a server that answers requests ' +
  'for ranges (nearly all do for plain files: Apache, nginx, S3), or ' +
  'download it and open the file.';

const CORS_HELP =
  'Pages may read files of other servers only if these say so. The server ' +
  'needs, for Apache: Header set Access-Control-Allow-Origin "*" and Header ' +
  'set Access-Control-Expose-Headers "ETag, Content-Range"; for nginx the ' +
  'same with add_header. Or download the archive and open the file.';

/** A URL as it may be shown: without user, password, query and fragment. */
function shown(url: string): string {
  const match = /^([a-z0-9+.-]+:\/\/)([^/?#]*@)?([^?#]*)/i.exec(url);
  return match ? match[1] + match[3] : url;
}

/** Why fetch() failed without an answer: a second, blind request tells. */
export async function explainFailure(url: string): Promise<ReaderError> {
  try {
    await fetch(url, { mode: 'no-cors', method: 'HEAD', cache: 'no-store' });
  } catch {
    return new ReaderError({
      kind: 'unreachable',
      message: `cannot reach ${shown(url)}: no such server, no network, or ` +
        'the browser forbids it',
    });
  }
  return new ReaderError({
    kind: 'cors',
    message: `${shown(url)}: the server answers, but does not let this page ` +
      `read the answer (CORS). ${CORS_HELP}`,
  });
}

export function statusError(url: string, status: number, reason = ''):
    ReaderError {
  if (status === 200) {
    return new ReaderError({
      kind: 'no-ranges',
      message: `${shown(url)}: the server does not support range ` +
        `requests. ${RANGES_HELP}`,
    });
  }
  if (status === 416) {
    return changedError(url, 'it is shorter now');
  }
  return new ReaderError({
    kind: 'http',
    message: `${shown(url)}: the server answers ${status}` +
      (status === 404 ? ', there is no such file' :
        status === 401 || status === 403 ? ', reading it is not allowed' :
          reason && `: ${reason.slice(0, 500)}`),
  });
}

export function changedError(url: string, how: string): ReaderError {
  return new ReaderError({
    kind: 'changed',
    message: `${shown(url)}: the file has changed on the server since it was ` +
      `opened (${how}). Open it again.`,
  });
}

function markOf(header: (name: string) => string | null): string | null {
  return header('ETag') ?? header('Last-Modified');
}

/** "bytes 0-99/1234", where the server lets us see it. */
function parseContentRange(text: string | null): [number, number, number] | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(text ?? '');
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
}

/** Checks an answer to a request for 'nbytes' bytes from 'offset'. */
export function checkRange(
  url: string, identity: Identity, offset: number, data: ArrayBuffer,
  nbytes: number, status: number, header: (name: string) => string | null,
): Uint8Array<ArrayBuffer> {
  if (status !== 206) {
    throw statusError(url, status);
  }
  const mark = markOf(header);
  const range = parseContentRange(header('Content-Range'));
  if (mark !== null && identity.mark !== null && mark !== identity.mark) {
    throw changedError(url, 'its ETag or date is another');
  }
  if (range && (range[0] !== offset || range[2] !== identity.size)) {
    throw changedError(url, `${range[2]} bytes instead of ${identity.size}`);
  }
  if (data.byteLength !== nbytes) {
    throw changedError(url,
      `${data.byteLength} bytes came where ${nbytes} were asked for`);
  }
  return new Uint8Array(data);
}

/** What an answer contains, and no more than was asked for. */
async function take(url: string, response: Response, nbytes: number):
    Promise<ArrayBuffer> {
  const data = new Uint8Array(nbytes);
  const reader = response.body!.getReader();
  let got = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return got === nbytes ? data.buffer : data.buffer.slice(0, got);
    }
    if (value.byteLength > nbytes - got) {
      await reader.cancel();
      throw changedError(url, `more than ${nbytes} bytes came`);
    }
    data.set(value, got);
    got += value.byteLength;
  }
}

/** Size and identity: a HEAD and the first bytes, at the same time. */
export async function openUrl(url: string, nbytes: number):
    Promise<{ identity: Identity; first: Uint8Array<ArrayBuffer>; requests: number }> {
  const range = { Range: `bytes=0-${nbytes - 1}` };
  let head: Response;
  let part: Response;
  try {
    [head, part] = await Promise.all([
      fetch(url, { method: 'HEAD', cache: 'no-store' }),
      fetch(url, { headers: range, cache: 'no-store' }),
    ]);
  } catch {
    throw await explainFailure(url);
  }
  const length = head.ok ? head.headers.get('Content-Length') : null;
  const seen = parseContentRange(part.headers.get('Content-Range'));
  if (part.status !== 206) {
    await part.body?.cancel();
    throw statusError(url, part.status === 416 ? 404 : part.status,
      part.statusText);
  }
  const size = seen ? seen[2] : length === null ? NaN : Number(length);
  if (!Number.isSafeInteger(size)) {
    throw new ReaderError({
      kind: 'no-ranges',
      message: `${shown(url)}: the server does not say how long the file is. ` +
        RANGES_HELP,
    });
  }
  const identity = {
    size,
    mark: markOf((name) => part.headers.get(name)),
  };
  const data = await take(url, part, nbytes);
  const first = checkRange(url, identity, 0, data, Math.min(nbytes, size), 206,
    (name) => part.headers.get(name));
  return { identity, first, requests: 2 };
}

export async function fetchRange(
  url: string, identity: Identity, offset: number, nbytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let response: Response;
  try {
    response = await fetch(url, {
      headers: { Range: `bytes=${offset}-${offset + nbytes - 1}` },
      cache: 'no-store',
      signal,
    });
  } catch {
    signal?.throwIfAborted();
    throw await explainFailure(url);
  }
  if (response.status !== 206) {
    await response.body?.cancel();
    throw statusError(url, response.status, response.statusText);
  }
  const data = await take(url, response, nbytes);
  return checkRange(url, identity, offset, data, nbytes, response.status,
    (name) => response.headers.get(name));
}

/** The same, waited for: only a worker may, and only the check does. */
export function readRangeNow(
  url: string, identity: Identity, offset: number, nbytes: number,
): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.responseType = 'arraybuffer';
  request.setRequestHeader('Range', `bytes=${offset}-${offset + nbytes - 1}`);
  try {
    request.send();
  } catch {
    throw new ReaderError({
      kind: 'unreachable',
      message: `${shown(url)} cannot be reached any more`,
    });
  }
  return checkRange(url, identity, offset, request.response as ArrayBuffer,
    nbytes, request.status, (name) => request.getResponseHeader(name));
}
