/* SPDX-License-Identifier: MIT */
/**
 * Builds, from DIRECTORY/reader.{mjs,wasm}:
 *
 *   DIRECTORY/nc3z-reader/   the npm package
 *   DIRECTORY/viewer.html    the page in one file, and coast.js
 *
 * With each come the licences of its parts; viewer.html also has them inside,
 * as it goes around alone.  parts.json lists the parts of the page.
 *
 * usage: node build.mjs DIRECTORY
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { coastLicence, coastScript } from './coast.mjs';
import { licences, packagesOf, partsOf } from './licences.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? 'build');
const generated = path.join(out, 'generated');
const read = (...parts) => fs.readFileSync(path.join(...parts), 'utf8');

/** One script from many sources; what they import from "generated" is there. */
function script(entry, file, ...options) {
  execFileSync('esbuild', [entry, '--bundle', '--minify', '--target=es2022',
    '--jsx=automatic', '--define:process.env.NODE_ENV="production"',
    '--charset=utf8', '--legal-comments=none', `--alias:generated=${generated}`,
    '--log-override:empty-import-meta=silent', '--log-level=warning',
    `--outfile=${file}`, ...options], { cwd: root, stdio: 'inherit' });
}

function textModule(name, text) {
  fs.writeFileSync(path.join(generated, name),
    `export default ${JSON.stringify(text)};\n`);
}

/** Nothing from elsewhere but the data that is asked for. */
function policy(code) {
  const hash = createHash('sha256').update(code).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "font-src data:",
    'worker-src blob:',
    "connect-src http: https:",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** Style, script and licences into the page itself. */
function pageOf(code, style, text) {
  if (text.includes('-->')) {
    throw new Error('a licence would end the comment it is in');
  }
  const inside = code.trim().replaceAll('</script', '<\\/script')
    .replaceAll('<!--', '<\\!--');
  const parts = { POLICY: policy(inside), STYLE: style.trim(), CODE: inside };
  return `${read(root, 'page/index.html').replace(/@([A-Z]+)@/g,
    (_, name) => parts[name])}<!--\n${text}-->\n`;
}

fs.mkdirSync(generated, { recursive: true });
fs.copyFileSync(path.join(out, 'reader.mjs'),
  path.join(generated, 'reader.mjs'));
textModule('reader.wasm.js', gzipSync(fs.readFileSync(
  path.join(out, 'reader.wasm')), { level: 9 }).toString('base64'));

const reader = path.join(out, 'nc3z-reader');
fs.rmSync(reader, { recursive: true, force: true });
for (const name of ['index', 'worker']) {
  script(`reader/src/${name}.ts`, path.join(reader, `dist/${name}.js`),
    '--format=esm');
}
execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['-p',
  path.join(root, 'reader'), '--outDir', path.join(reader, 'dist')],
{ stdio: 'inherit' });
for (const name of ['package.json', 'README.md']) {
  fs.copyFileSync(path.join(root, 'reader', name), path.join(reader, name));
}
const sources = path.join(out, 'sources');
fs.writeFileSync(path.join(reader, 'licences.txt'),
  licences(partsOf(sources, [])));

const worker = path.join(generated, 'w/worker.js');
script('reader/src/worker.ts', worker);
textModule('worker.js', read(worker));

const single = path.join(generated, 'page');
script('page/main.tsx', `${single}.js`, '--format=esm',
  `--metafile=${single}.json`);
const parts = partsOf(sources, [...packagesOf(root,
  JSON.parse(read(`${single}.json`))), coastLicence()]);
const texts = {
  'licences.txt': licences(parts),
  'parts.json': JSON.stringify(parts.map(({ name, version, identifier }) =>
    ({ name, version, licence: identifier })), null, 1),
  'viewer.html': pageOf(read(`${single}.js`), read(`${single}.css`),
    licences(parts)),
  'coast.js': coastScript(),
};
for (const [name, text] of Object.entries(texts)) {
  fs.writeFileSync(path.join(out, name), text);
  console.log(`${name}: ${Buffer.byteLength(text)} bytes, ` +
    `${gzipSync(text, { level: 9 }).length} in gzip`);
}
