/* SPDX-License-Identifier: MIT */
/**
 * The npm package in a browser: values, headers, errors, requests.  A page that
 * is not ours imports it, as others do.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';

import { classicFile } from './classic.mjs';
import { serve } from './server.mjs';
import {
  built, classicData, corpus, ferret, here, launch, makeSample, newPage, pack,
  packFerret, run, temporary,
} from './setup.mjs';

/** Of the format: before the first segment of the index, and in a segment. */
const INDEX_HEAD_NBYTES = 16;
const SEGMENT_NENTRIES = 4096;

const data = temporary();
let server;
let browser;
let page;

before(async () => {
  server = await serve({ reader: path.join(built, 'nc3z-reader/dist'),
    test: here, data });
  browser = await launch();
  page = await newPage(browser);
  await page.goto(`${server.url}/test/blank.html`);
  await page.evaluate(async () => {
    globalThis.reader = await import('/reader/index.js');
    globalThis.hash = async (bytes) => Array.from(
      new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)),
      (b) => b.toString(16).padStart(2, '0')).join('');
    /** What becomes of a promise, as plain data. */
    globalThis.outcome = async (make) => {
      try {
        return { result: await make() };
      } catch (e) {
        const { kind, message, variable, stream, block } = e;
        return { kind, message, variable, stream, block };
      }
    };
  });
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * Hashes of the header and of the values of all variables, one after the other;
 * without those that nc3dump -v, started from here, cannot name: empty names,
 * with a comma, no UTF-8, or like another one.
 */
function readAll(source) {
  return page.evaluate(async (url) => {
    const file = await reader.open(url);
    const header = await hash(await file.header());
    const parts = new Map();
    const limited = [];
    for (const v of file.info.variables) {
      const read = await outcome(() => file.read(v.id));
      if (read.kind === 'limit') {
        limited.push({ name: v.name, shape: v.shape, type: v.type });
        continue;
      }
      if (!read.result) {
        throw new Error(`${v.name}: ${read.kind}: ${read.message}`);
      }
      const { values } = read.result;
      const alike = file.info.variables.filter((w) => w.name === v.name);
      if (v.name && !/[,\ufffd]/.test(v.name) && alike.length === 1) {
        parts.set(v.name, values);
      }
    }
    await file.close();
    return { header, limited, names: [...parts.keys()],
      values: await hash(await new Blob([...parts.values()])
        .arrayBuffer()) };
  }, source);
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Files of which a tab cannot read everything at once. */
const tooLarge = new Set();
const NBYTES = { byte: 1, char: 1, ubyte: 1, short: 2, ushort: 2, int: 4, uint: 4,
  float: 4, double: 8, int64: 8, uint64: 8 };

/** Whether that is so: more than 1 GiB, or a dimension of 2^31 and more. */
function isTooLarge({ shape, type }) {
  return shape.reduce((a, b) => a * b, NBYTES[type]) > 2 ** 30 ||
    shape.some((length) => length >= 2 ** 31);
}

function compare(file, { names, values, header, limited }) {
  for (const variable of limited) {
    assert.ok(isTooLarge(variable), `${file}: ${JSON.stringify(variable)}`);
    tooLarge.add(path.basename(file, '.nc3z'));
  }
  const bytes = names.length > 0 ?
    run('nc3dump', '-B', '-v', names.join(','), file) : Buffer.alloc(0);
  assert.equal(values, sha256(bytes), `values of ${file}`);
  assert.equal(header, sha256(run('nc3dump', '-h', file)), `header of ${file}`);
  return names.length;
}

function isReadable(file) {
  try {
    run('nc3dump', '-h', file);
    return true;
  } catch {
    return false;
  }
}

function filesIn(directory) {
  return fs.readdirSync(directory).sort().map((n) => path.join(directory, n))
    .filter((f) => fs.statSync(f).isFile() && isReadable(f));
}

/** As an archive of some kind, and as it is. */
async function compareFile(file, ...options) {
  const name = encodeURIComponent(path.basename(file));
  fs.copyFileSync(file, path.join(data, path.basename(file)));
  const archive = pack(file,
    path.join(data, `${path.basename(file)}.nc3z`), ...options);
  const n = compare(archive, await readAll(`/data/${name}.nc3z`));
  compare(file, await readAll(`/data/${name}`));
  fs.rmSync(archive);
  fs.rmSync(path.join(data, path.basename(file)));
  return n;
}

const KINDS = [['-1'], ['-5'], ['--chunks=balanced'], ['-9'],
  ['--codec=deflate'], ['--block-size=4096'], ['--codec=lzma']];

describe('values are those of nc3dump -B, headers those of nc3dump -h', () => {
  test('files of the project, packed in all ways', async () => {
    const files = filesIn(classicData);
    let n = 0;
    for (const [i, file] of files.entries()) {
      n += await compareFile(file, ...KINDS[i % KINDS.length]);
    }
    assert.ok(files.length > 40 && n > 100, `${files.length} files`);
    // headers that claim gigabytes, which are not there
    assert.ok(tooLarge.size < files.length / 10, [...tooLarge].join());
  });

  test('files of the corpus', { skip: !corpus && 'no NC3Z_CORPUS' },
    async () => {
      let files = 0;
      for (const part of ['edge', 'real', 'large']) {
        for (const file of filesIn(path.join(corpus, part))) {
          await compareFile(file, ...KINDS[files++ % KINDS.length]);
        }
      }
      assert.ok(files > 50, `${files} files`);
    });

  test('blocks of every codec', async () => {
    const seen = new Set();
    const archives = [
      ['measurements', '-9', '--block-size=4096'],
      ['measurements', '--codec=bzip2'], ['measurements', '--codec=deflate'],
      ['noisy', '-9', '--chunks=time/4,lat/25,lon/80']].map(
      ([name, ...options], i) => pack(makeSample(name, data),
        path.join(data, `${name}-${i}.nc3z`), ...options));
    // Of an earlier version: context coding, which none writes any more.
    archives.push(path.join(data, 'kept.nc3z'));
    fs.copyFileSync(path.join(classicData, '../archives',
      'noisy-1.nc.nc3z'), archives.at(-1));
    for (const archive of archives) {
      const name = path.basename(archive, '.nc3z');
      compare(archive, await readAll(`/data/${name}.nc3z`));
      const codings = await page.evaluate(async (url) => {
        const file = await reader.open(url);
        const found = new Set();
        for (const v of file.info.variables) {
          const { stream, blocks } = await file.storage(v.id);
          for (let i = 0; i < blocks; i++) {
            found.add((await file.block(stream, i)).coding);
          }
        }
        await file.close();
        return [...found];
      }, `/data/${name}.nc3z`);
      codings.forEach((coding) => seen.add(coding.split(' ').at(-1)));
    }
    for (const codec of ['bzip2', 'context', 'deflate', 'lzma', 'store',
      'zstd']) {
      assert.ok(seen.has(codec), `${codec}: ${[...seen].join()}`);
    }
  });

  test('parts of variables, with strides', async () => {
    packFerret('coads_climatology.cdf', data);
    const got = await page.evaluate(async () => {
      const file = await reader.open('/data/coads_climatology.cdf.nc3z');
      const { values, count } = await file.read('SST',
        { start: [1, 3, 4], stride: [5, 20, 60] });
      const all = (await file.read('SST')).values;
      const expected = [];
      for (let t = 1; t < 12; t += 5) {
        for (let y = 3; y < 90; y += 20) {
          for (let x = 4; x < 180; x += 60) {
            expected.push(all[(t * 90 + y) * 180 + x]);
          }
        }
      }
      return { values: [...values], expected, count };
    });
    assert.deepEqual(got.count, [3, 5, 3]);
    assert.deepEqual(got.values, got.expected);
  });

  test('unpacked values, missing ones as NaN', async () => {
    const got = await page.evaluate(async () => {
      const file = await reader.open('/data/coads_climatology.cdf.nc3z');
      const raw = (await file.read('SST')).values;
      const { values } = await file.read('SST', { unpack: true });
      return raw.every((v, i) => v < -1e33 ?
        Number.isNaN(values[i]) : v === values[i]) &&
        values.some(Number.isNaN) && values.some((v) => v > 25);
    });
    assert.ok(got);
  });

  test('times as nc3dump -t prints them, rounded', async () => {
    const got = await page.evaluate(async () => {
      const file = await reader.open('/data/coads_climatology.cdf.nc3z');
      const { values } = await file.read('TIME');
      return file.times('TIME', values);
    });
    const text = run('nc3dump', '-t', '-v', 'TIME',
      path.join(data, 'coads_climatology.cdf.nc3z')).toString();
    const expected = [...text.split('data:')[1].matchAll(/"([^"]*)"/g)]
      .map((m) => m[1].replace(/:(\d+\.\d+)$/, (_, seconds) =>
        `:${Math.round(seconds).toString().padStart(2, '0')}`)
        .replace(/(:\d\d):00$/, '$1'));
    assert.equal(expected.length, 12);
    assert.deepEqual(got, expected);
  });
});

/** A classic file, CDF-1, with one time variable in each calendar. */
function writeCalendars(file) {
  const calendars = ['standard', 'gregorian', 'proleptic_gregorian', 'julian',
    'noleap', '365_day', 'all_leap', '366_day', '360_day', 'none'];
  const chunks = [];
  const int = (n) => {
    const b = Buffer.alloc(4);
    b.writeInt32BE(n);
    chunks.push(b);
  };
  const text = (s) => {
    int(s.length);
    chunks.push(Buffer.from(s.padEnd(Math.ceil(s.length / 4) * 4, '\0')));
  };
  chunks.push(Buffer.from('CDF\x01'));
  int(0);
  int(10); int(1); text('t'); int(3);
  int(0); int(0);
  int(11); int(calendars.length);
  const headers = [];
  calendars.forEach((calendar, i) => {
    text(`time_${i}`);
    int(1); int(0);
    int(12); int(2);
    text('units'); int(2); text('days since 2000-02-27 12:00');
    text('calendar'); int(2); text(calendar);
    int(6); int(24);
    headers.push(chunks.length);
    int(0);
  });
  const begin = chunks.reduce((n, c) => n + c.length, 0);
  headers.forEach((at, i) => chunks[at].writeInt32BE(begin + 24 * i));
  for (let i = 0; i < calendars.length; i++) {
    for (const day of [0, 2.5, -60000.25]) {
      const b = Buffer.alloc(8);
      b.writeDoubleBE(day);
      chunks.push(b);
    }
  }
  fs.writeFileSync(file, Buffer.concat(chunks));
  return calendars.length;
}

test('times in all calendars', async () => {
  const file = path.join(data, 'calendars.nc');
  const n = writeCalendars(file);
  const got = await page.evaluate(async () => {
    const opened = await reader.open('/data/calendars.nc');
    return Promise.all(opened.info.variables.map(async (v) => {
      const { values } = await opened.read(v.id);
      return opened.times(v.id, values);
    }));
  });
  const text = run('nc3dump', '-t', file).toString();
  const all = [...text.split('data:')[1].matchAll(/"([^"]*)"/g)]
    .map((m) => m[1]);
  assert.equal(all.length, 3 * n);
  assert.deepEqual(got.flat(), all);
  assert.ok(new Set(all).size > 8, 'calendars differ');
});

describe('requests', () => {
  test('a part of an archive is a few requests', async () => {
    packFerret('levitus_climatology.cdf', data);
    server.take('levitus_climatology.cdf.nc3z');
    await page.evaluate(async () => {
      const file = await reader.open('/data/levitus_climatology.cdf.nc3z');
      await file.read('TEMP', { count: [1, 180, 360] });
      await file.close();
    });
    const { requests, bytes, preflights } =
      server.take('levitus_climatology.cdf.nc3z');
    assert.ok(requests <= 5, `${requests} requests`);
    assert.ok(bytes <= 200_000, `${bytes} bytes`);
    assert.equal(preflights, 0);
  });

  test('ranges of one read are fetched side by side', async () => {
    packFerret('etopo5.cdf', data);
    server.take('etopo5.cdf.nc3z');
    await page.evaluate(async () => {
      const file = await reader.open('/delay=30/data/etopo5.cdf.nc3z');
      await file.read('ROSE');
      await file.close();
    });
    const { requests, bytes } = server.take('etopo5.cdf.nc3z');
    const size = fs.statSync(path.join(data, 'etopo5.cdf.nc3z')).size;
    assert.ok(requests <= 12, `${requests} requests`);
    assert.ok(bytes <= size + (1 << 17), `${bytes} bytes of ${size}`);
  });

  test('a plan counts blocks and bytes, and the read fetches no more',
    async () => {
      const name = 'chunks.nc3z';
      pack(ferret('coads_climatology.cdf'), path.join(data, name),
        '--chunks=balanced');
      const got = await page.evaluate(async (url) => {
        const file = await reader.open(url);
        const slab = { start: [0, 40, 90], count: [12, 1, 1] };
        const plan = await file.plan('SST', slab);
        const before = await file.traffic();
        const { values } = await file.read('SST', slab);
        const all = (await file.read('SST')).values;
        const again = await file.plan('SST', slab);
        return { plan, again, before,
          equal: values.every((v, t) => v === all[(t * 90 + 40) * 180 + 90]) };
      }, `/data/${name}`);
      assert.ok(got.equal);
      assert.ok(got.plan.blocks >= 1 && got.plan.bytes > 0);
      assert.deepEqual(got.again, { blocks: got.plan.blocks, bytes: 0 });
    });

  test('a plan of many blocks costs the index, then they come together',
    async () => {
      const [n, rows] = [120, 96];
      const noise = (i) => Math.fround(Math.sin(i * i + 1e4 * Math.sin(i)));
      fs.writeFileSync(path.join(data, 'many.nc'), classicFile(
        { t: 0, y: rows, x: 256 },
        [{ name: 'v', dims: ['t', 'y', 'x'], values: noise }], n));
      pack(path.join(data, 'many.nc'), path.join(data, 'many.nc.nc3z'),
        '--chunks=record', '--block-size=96K', '-1');
      const got = await page.evaluate(async ([url, count]) => {
        const file = await reader.open(url);
        const slab = { start: [0, 50, 7], count: [count, 1, 1] };
        const traffic = [await file.traffic()];
        const plan = await file.plan('v', slab);
        traffic.push(await file.traffic());
        const { values } = await file.read('v', slab);
        traffic.push(await file.traffic());
        await file.close();
        return { plan, traffic, values: [...values] };
      }, ['/data/many.nc.nc3z', n]);
      const [opened, planned, read] = got.traffic;
      assert.equal(got.plan.blocks, n);
      assert.ok(planned.requests - opened.requests <= 1, 'to plan');
      assert.ok(planned.bytes - opened.bytes <= 1 << 16, 'to plan');
      assert.ok(read.requests - planned.requests <= n, 'to read');
      assert.deepEqual(got.values, Array.from({ length: n },
        (_, t) => noise((t * rows + 50) * 256 + 7)));
    });

  test('blocks are listed from the index alone', async () => {
    const got = await page.evaluate(async () => {
      const file = await reader.open('/data/etopo5.cdf.nc3z');
      const { stream, blocks } = await file.storage('ROSE');
      const before = await file.traffic();
      const places = await file.blocks(stream);
      const after = await file.traffic();
      const last = await file.block(stream, blocks - 1);
      return { blocks, places, fetched: after.bytes - before.bytes, last };
    });
    assert.equal(got.places.length, got.blocks);
    assert.ok(got.fetched <= 1 << 16, `${got.fetched} bytes`);
    const { offset, storedBytes, rawBytes } = got.last;
    assert.deepEqual(got.places.at(-1), { offset, storedBytes, rawBytes });
    const listed = JSON.parse(run('nc3dump', '--json', '--blocks',
      path.join(data, 'etopo5.cdf.nc3z')))
      .variables.find((v) => v.name === 'ROSE').storage.block_list;
    assert.deepEqual(
      got.places.map((p) => [p.offset, p.storedBytes, p.rawBytes]),
      listed.map((b) => [b.offset, b.stored_bytes, b.raw_bytes]));
    assert.equal(got.last.coding, listed.at(-1).coding);
  });

  test('an abandoned read ends', async () => {
    const got = await page.evaluate(async () => {
      const file = await reader.open('/delay=300/data/etopo5.cdf.nc3z');
      const controller = new AbortController();
      const begin = performance.now();
      setTimeout(() => controller.abort(), 50);
      const read = await outcome(() =>
        file.read('ROSE', { signal: controller.signal }));
      const seconds = (performance.now() - begin) / 1000;
      const next = await file.read(0);
      return { kind: read.kind, seconds, n: next.values.length };
    });
    assert.equal(got.kind, 'aborted');
    assert.ok(got.n > 0);
  });
});

/** Writes at an offset; what lies between is a hole. */
function writeAt(fd, bytes, offset) {
  fs.writeSync(fd, bytes, 0, bytes.length, offset);
}

/**
 * An archive with a hole of so many bytes before its blocks: the places of what
 * comes after it are changed where the format states them.
 */
function writeWithHole(archive, to, hole) {
  const bytes = fs.readFileSync(archive);
  const trailer = bytes.length - 64;
  const index = Number(bytes.readBigUInt64LE(trailer + 8));
  const headerCopy = Number(bytes.readBigUInt64LE(trailer + 16));
  const add = (at) => bytes.writeBigUInt64LE(
    bytes.readBigUInt64LE(at) + BigInt(hole), at);
  let first = index;
  let entry = index + INDEX_HEAD_NBYTES;
  assert.ok(headerCopy - entry <= SEGMENT_NENTRIES * 20 + 4, 'one segment');
  for (; entry + 20 <= headerCopy - 4; entry += 20) {
    first = Math.min(first, Number(bytes.readBigUInt64LE(entry)));
    add(entry);
  }
  // the CRC of a segment also covers the last header's CRC
  bytes.writeUInt32LE(crc32(bytes.subarray(trailer + 56, trailer + 60),
    crc32(bytes.subarray(index + INDEX_HEAD_NBYTES, headerCopy - 4))),
  headerCopy - 4);
  [8, 16, 24, 32].forEach((at) => add(trailer + at));
  bytes.writeUInt32LE(crc32(bytes.subarray(trailer, trailer + 60)),
    trailer + 60);
  const fd = fs.openSync(to, 'w');
  writeAt(fd, bytes.subarray(0, first), 0);
  writeAt(fd, bytes.subarray(first), first + hole);
  fs.closeSync(fd);
}

describe('offsets beyond 4 GiB', () => {
  test('in an archive', async () => {
    const small = packFerret('coads_climatology.cdf', data);
    const large = path.join(data, 'coads.nc3z');
    const hole = 5 * 2 ** 30;
    writeWithHole(small, large, hole);
    assert.ok(fs.statSync(large).size > hole);
    const seen = await readAll('/data/coads.nc3z');
    compare(large, seen);
    assert.equal(seen.values,
      (await readAll('/data/coads_climatology.cdf.nc3z')).values);
    const { bytes } = server.take('coads.nc3z');
    assert.ok(bytes < 3e6, `${bytes} bytes`);
    const places = await page.evaluate(async () => {
      const file = await reader.open('/data/coads.nc3z');
      const { stream } = await file.storage('SST');
      return file.blocks(stream);
    });
    assert.ok(places.every((p) => p.offset > hole));
  });

  test('in a classic file', async () => {
    const file = path.join(data, 'large.nc');
    const n = 600;
    const row = 1 << 20;
    // CDF-2: double x(t = 600, i = 1 Mi), 4.7 GiB, nearly all of it a hole
    const parts = [Buffer.from('CDF\x02')];
    const int = (v) => {
      const b = Buffer.alloc(4);
      b.writeUInt32BE(v);
      parts.push(b);
    };
    const name = (s) => {
      int(s.length);
      parts.push(Buffer.from(s.padEnd(4, '\0')));
    };
    int(0);
    int(10); int(2); name('t'); int(n); name('i'); int(row);
    int(0); int(0);
    int(11); int(1); name('x'); int(2); int(0); int(1); int(0); int(0);
    int(6); int(0xffffffff);
    const begin = parts.reduce((k, p) => k + p.length, 0) + 8;
    int(0); int(begin);
    const end = begin + 8 * n * row;
    const last = Buffer.alloc(8);
    last.writeDoubleBE(42.5);
    const fd = fs.openSync(file, 'w');
    writeAt(fd, Buffer.concat(parts), 0);
    writeAt(fd, last, end - 8);
    fs.closeSync(fd);
    const got = await page.evaluate(async (slab) => {
      const opened = await reader.open('/data/large.nc');
      const { values } = await opened.read('x', slab);
      const { bytes } = await opened.traffic();
      return { values: [...values], bytes, size: opened.info.bytes };
    }, { start: [n - 1, row - 3], count: [1, 3] });
    assert.deepEqual(got.values, [0, 0, 42.5]);
    assert.equal(got.size, end);
    assert.ok(got.bytes < 1 << 20);
  });
});

describe('what goes wrong is said', () => {
  const open = (url) => page.evaluate((u) => outcome(async () =>
    (await reader.open(u)).info.name), url);

  test('no such file, no ranges, other origins, nobody there', async () => {
    let got;
    for (const name of ['none.nc3z', '100%.nc3z']) {
      got = await open(`/data/${name}`);
      assert.equal(got.kind, 'http');
      assert.match(got.message, /404/);
    }
    got = await open('/no-ranges/data/etopo5.cdf.nc3z');
    assert.equal(got.kind, 'no-ranges');
    assert.match(got.message, /does not support range requests/);
    const other = await serve({ data });
    got = await open(`${other.url}/data/etopo5.cdf.nc3z`);
    assert.deepEqual(got, { result: 'etopo5' });
    assert.equal(other.take('etopo5.cdf.nc3z').preflights, 0);
    got = await open(`${other.url}/no-cors/data/etopo5.cdf.nc3z`);
    assert.equal(got.kind, 'cors');
    assert.match(got.message, /Access-Control-Allow-Origin/);
    await other.close();
    got = await open(`${other.url}/data/etopo5.cdf.nc3z`);
    assert.equal(got.kind, 'unreachable');
  });

  test('a server without HEAD', async () => {
    assert.deepEqual(await open('/no-head/data/etopo5.cdf.nc3z'),
      { result: 'etopo5' });
  });

  test('a file that changes', async () => {
    const got = await page.evaluate(() => outcome(async () => {
      const file = await reader.open('/changes/data/etopo5.cdf.nc3z');
      await file.read('ROSE');
    }));
    assert.equal(got.kind, 'changed');
    assert.match(got.message, /has changed on the server/);
  });

  test('a file of another kind, an empty one', async () => {
    fs.writeFileSync(path.join(data, 'text.nc'), 'hello, this is text');
    fs.writeFileSync(path.join(data, 'empty.nc'), '');
    assert.equal((await open('/data/text.nc')).kind, 'not-netcdf');
    assert.ok((await open('/data/empty.nc')).kind);
  });

  test('a damaged block, its variable, and all others are read', async () => {
    const archive = pack(ferret('coads_climatology.cdf'),
      path.join(data, 'bad.nc3z'));
    const { variables } = JSON.parse(run('nc3dump', '--json', '--blocks',
      archive));
    const airt = variables.find((v) => v.name === 'AIRT');
    const block = airt.storage.block_list[1];
    const fd = fs.openSync(archive, 'r+');
    fs.writeSync(fd, Buffer.from('damage'), 0, 6,
      block.offset + block.stored_bytes - 50);
    fs.closeSync(fd);
    const got = await page.evaluate(async () => {
      const file = await reader.open('/data/bad.nc3z');
      const results = {};
      for (const v of file.info.variables) {
        results[v.name] = await outcome(async () =>
          (await file.read(v.id)).values.length);
      }
      const part = await outcome(async () =>
        (await file.read('AIRT', { count: [1, 90, 180] })).values.length);
      const quick = await outcome(() => file.check({ quick: true }));
      return { results, part, quick };
    });
    const { AIRT, ...others } = got.results;
    assert.equal(AIRT.kind, 'damaged');
    assert.equal(AIRT.variable, 'AIRT');
    assert.equal(AIRT.stream, airt.storage.stream);
    assert.equal(AIRT.block, 1);
    assert.match(AIRT.message, /^variable AIRT: payload .*CRC-32 differs/);
    assert.ok(Object.values(others).every((r) => r.result > 0));
    assert.deepEqual(got.part, { result: 16200 });
    assert.equal(got.quick.kind, 'damaged');
    assert.equal(got.quick.block, 1);
  });

  test('hostile files', async () => {
    const bad = fs.readdirSync(classicData).filter((n) => n.startsWith('bad'));
    for (const name of bad) {
      fs.copyFileSync(path.join(classicData, name), path.join(data, name));
      assert.ok((await open(`/data/${name}`)).kind, name);
    }
    assert.ok(bad.length > 20);
    assert.deepEqual(await open('/data/etopo5.cdf.nc3z'), { result: 'etopo5' });
  });

  test('wrong arguments', async () => {
    const got = await page.evaluate(async () => {
      const file = await reader.open('/data/coads_climatology.cdf.nc3z');
      const ask = (name, options) => outcome(() => file.read(name, options));
      return [
        await ask('none', {}), await ask('SST', { start: [0] }),
        await ask('SST', { start: [0, 0, 180], count: [1, 1, 1] }),
        await ask('SST', { count: [1, 1, -1] }), await ask(99, {}),
        await ask('SST', { stride: [0, 1, 1] }),
        await ask('SST', { stride: [0, 1, 1], count: [1, 1, 1] }),
        await ask('SST', { start: [11, 0, 0], count: [2 ** 30, 1, 1] }),
        await ask('SST', { start: [3, 0, 0], count: [4, 1, 1],
          stride: [3, 1, 1] }),
      ];
    });
    got.forEach((one) => assert.equal(one.kind, 'argument'));
  });
});

test('the npm package has what its package.json names', () => {
  const at = path.join(built, 'nc3z-reader');
  const { exports, files } = JSON.parse(fs.readFileSync(path.join(at,
    'package.json')));
  const names = Object.values(exports).flatMap((e) =>
    typeof e === 'string' ? e : Object.values(e)).concat(files);
  assert.ok(names.length >= 6);
  names.forEach((name) => assert.ok(fs.existsSync(path.join(at, name)), name));
});

test('checks: quick and full, with progress; stopped', async () => {
  const archive = path.join(data, 'etopo5.cdf.nc3z');
  const expected = sha256(fs.readFileSync(ferret('etopo5.cdf')));
  const got = await page.evaluate(async (url) => {
    const file = await reader.open(url);
    const steps = [];
    const quick = await file.check({ quick: true });
    const full = await file.check({ onProgress: (a, b) => steps.push([a, b]) });
    const controller = new AbortController();
    const stopped = outcome(() => file.check({ signal: controller.signal }));
    controller.abort(new DOMException('no', 'AbortError'));
    const blob = await (await fetch(url)).blob();
    const local = await reader.open(new File([blob], 'x.nc3z'));
    return { quick, full, steps, local: await local.check(),
      stopped: await stopped, header: (await local.header()).length,
      archive: file.info.archive };
  }, '/data/etopo5.cdf.nc3z');
  assert.equal(got.archive.bytes, fs.statSync(archive).size);
  for (const one of [got.quick, got.full, got.local]) {
    assert.equal(one.sha256, expected);
  }
  assert.ok(got.steps.length > 2);
  assert.ok(got.steps.every(([, b], i) => i === 0 || b >= got.steps[i - 1][1]));
  assert.equal(got.stopped.result, undefined);
});
