/* SPDX-License-Identifier: MIT */
/**
 * A web server on the loopback interface that counts: requests and bytes by
 * file.  It can be slow, know no ranges, forbid other origins, or change a file.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript',
  '.css': 'text/css',
};

/**
 * 'roots' maps the first part of paths to directories.  'modes' of a request
 * stand before that, as in /delay=30/no-ranges/data/x.nc3z.
 */
export async function serve(roots) {
  const counts = new Map();
  const changes = new Map();

  function find(url) {
    const modes = {};
    const parts = decodeURIComponent(
      new URL(url, 'http://x').pathname.replace(/%(?![0-9a-f]{2})/gi, '%25'))
      .split('/').slice(1);
    while (/^(delay=\d+|no-ranges|no-cors|no-head|changes|gone)$/.test(parts[0])) {
      const [mode, value] = parts.shift().split('=');
      modes[mode] = value ?? true;
    }
    const root = roots[parts.shift()];
    const file = root && path.join(root, ...parts.filter((p) => p !== '..'));
    return { modes, file };
  }

  function headersOf(file, stat, modes) {
    const nth = changes.get(file) ?? 0;
    return {
      'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      'Accept-Ranges': modes['no-ranges'] ? 'none' : 'bytes',
      ETag: `"${stat.mtimeMs}-${modes.changes ? nth : 0}"`,
      ...(modes['no-cors'] ? {} : {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'ETag, Content-Range',
      }),
    };
  }

  function answer(request, response) {
    const { modes, file } = find(request.url);
    let stat;
    try {
      stat = fs.statSync(file);
    } catch {
      stat = null;
    }
    if (!stat?.isFile()) {
      response.writeHead(404, { 'Access-Control-Allow-Origin': '*' }).end();
      return;
    }
    const count = counts.get(path.basename(file)) ??
      { requests: 0, bytes: 0, preflights: 0 };
    counts.set(path.basename(file), count);
    if (request.method === 'OPTIONS') {
      count.preflights++;
      response.writeHead(405).end();
      return;
    }
    count.requests++;
    const headers = headersOf(file, stat, modes);
    if (request.method === 'HEAD') {
      response.writeHead(modes['no-head'] ? 405 : 200,
        modes['no-head'] ? headers :
          { ...headers, 'Content-Length': stat.size }).end();
      return;
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (request.headers.range && !range) {
      response.writeHead(400).end();
      return;
    }
    if (!range || modes['no-ranges']) {
      count.bytes += stat.size;
      response.writeHead(200, { ...headers, 'Content-Length': stat.size });
      fs.createReadStream(file).pipe(response);
      return;
    }
    const first = Number(range[1]);
    const last = Math.min(Number(range[2]), stat.size - 1);
    if (first > last) {
      response.writeHead(416, headers).end();
      return;
    }
    changes.set(file, (changes.get(file) ?? 0) + (first > 0 ? 1 : 0));
    count.bytes += last - first + 1;
    response.writeHead(206, {
      ...headers,
      'Content-Length': last - first + 1,
      'Content-Range': `bytes ${first}-${last}/${stat.size}`,
    });
    fs.createReadStream(file, { start: first, end: last }).pipe(response);
  }

  const server = http.createServer((request, response) => {
    const delay = Number(find(request.url).modes.delay ?? 0);
    setTimeout(() => answer(request, response), delay);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  // ends by itself, whatever becomes of the tests
  const limit = setTimeout(() => server.closeAllConnections(), 3_600_000);
  limit.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    /** Of a file, since the last call. */
    take(name) {
      const count = counts.get(name) ?? { requests: 0, bytes: 0, preflights: 0 };
      counts.delete(name);
      return count;
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
