/* SPDX-License-Identifier: MIT */
/**
 * Builds, from DIRECTORY/{reader,packer}.{mjs,wasm}:
 *
 *   DIRECTORY/nc3z-reader/   the npm package
 *   DIRECTORY/viewer.html    the page in one file, packer.js and coast.js
 *   DIRECTORY/split/         the page in several, for web servers
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
import { gzipSync } from 'node:zlib';

import { build } from 'vite';

import { coastLicence, coastScript } from './coast.mjs';
import { licences, partsOf } from './licences.mjs';

const root = import.meta.dirname;
const out = path.resolve(process.argv[2] ?? 'build');
const generated = path.join(out, 'generated');

/** What the sources import from "generated" is made here, outside of them. */
const fromGenerated = {
  name: 'nc3z-generated',
  enforce: 'pre',
  resolveId: (id) => id.includes('/generated/') ?
    path.join(generated, path.basename(id)) : null,
};

/** "use client" means nothing here, nor does where a module comes from. */
function onLog(level, log, next) {
  if (!['MODULE_LEVEL_DIRECTIVE', 'EMPTY_IMPORT_META'].includes(log.code)) {
    next(level, log);
  }
}

const common = {
  root,
  configFile: false,
  logLevel: 'warn',
  plugins: [fromGenerated],
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic' } },
};

function textModule(name, text) {
  fs.writeFileSync(path.join(generated, name),
    `export default ${JSON.stringify(text)};\n`);
}

function takeWasm(name) {
  fs.copyFileSync(path.join(out, `${name}.mjs`),
    path.join(generated, `${name}.mjs`));
  const wasm = fs.readFileSync(path.join(out, `${name}.wasm`));
  textModule(`${name}.wasm.js`, gzipSync(wasm, { level: 9 }).toString('base64'));
}

/** One script from one source. */
async function script(entry, format, file) {
  await build({
    ...common,
    build: {
      target: 'es2022',
      outDir: path.dirname(file),
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: { onLog },
      lib: { entry: path.join(root, entry), formats: [format], name: 'nc3z',
        fileName: () => path.basename(file) },
    },
  });
}

async function page(directory, oneFile) {
  await build({
    ...common,
    base: './',
    build: {
      target: 'es2022',
      outDir: directory,
      emptyOutDir: true,
      copyPublicDir: false,
      cssCodeSplit: false,
      modulePreload: false,
      chunkSizeWarningLimit: 4000,
      license: { fileName: 'licences.json' },
      rolldownOptions: {
        input: path.join(root, 'page/index.html'),
        onLog,
        output: oneFile ? { codeSplitting: false } : {},
      },
    },
  });
}

/** Nothing from elsewhere but the data that is asked for. */
function policy(scripts) {
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${scripts.join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "font-src data:",
    'worker-src blob:',
    "connect-src http: https:",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

function withPolicy(html, scripts) {
  return html.replace('<meta charset="utf-8">', (charset) => `${charset}
<meta http-equiv="Content-Security-Policy" content="${policy(scripts)}">`);
}

/** Style and script into the page itself. */
function inline(directory) {
  let html = fs.readFileSync(path.join(directory, 'page/index.html'), 'utf8');
  const read = (href) =>
    fs.readFileSync(path.join(directory, 'page', href), 'utf8');
  html = html.replace(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/,
    (_, href) => `<style>${read(href)}</style>`);
  let code = '';
  html = html.replace(/<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>/,
    (_, src) => {
      code = read(src).trim().replaceAll('</script', '<\\/script')
        .replaceAll('<!--', '<\\!--');
      return '';
    });
  const hash = createHash('sha256').update(code).digest('base64');
  html = html.replace('</body>',
    () => `<script type="module">${code}</script>\n</body>`);
  return withPolicy(html, [`'sha256-${hash}'`]);
}

/** The npm packages that are in a page; their list is not to be delivered. */
function takePackages(directory) {
  const file = path.join(directory, 'licences.json');
  const packages = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.rmSync(file);
  return packages;
}

function withLicences(html, text) {
  if (text.includes('-->')) {
    throw new Error('a licence would end the comment it is in');
  }
  return `${html.trimEnd()}\n<!--\n${text}-->\n`;
}

function flatten(directory) {
  const file = path.join(directory, 'page/index.html');
  const html = fs.readFileSync(file, 'utf8').replaceAll('../assets/', 'assets/');
  fs.writeFileSync(path.join(directory, 'index.html'), withPolicy(html, []));
  fs.rmSync(path.join(directory, 'page'), { recursive: true });
}

fs.mkdirSync(generated, { recursive: true });
['reader', 'packer'].forEach(takeWasm);

const reader = path.join(out, 'nc3z-reader');
fs.rmSync(reader, { recursive: true, force: true });
await script('reader/src/index.ts', 'es', path.join(reader, 'dist/index.js'));
await script('reader/src/worker.ts', 'es', path.join(reader, 'dist/worker.js'));
execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['-p',
  path.join(root, 'reader'), '--outDir', path.join(reader, 'dist')],
{ stdio: 'inherit' });
for (const name of ['package.json', 'README.md']) {
  fs.copyFileSync(path.join(root, 'reader', name), path.join(reader, name));
}
const sources = path.join(out, 'sources');
fs.writeFileSync(path.join(reader, 'licences.txt'),
  licences(partsOf(sources, [])));

await script('reader/src/worker.ts', 'iife', path.join(generated, 'w/worker.js'));
textModule('worker.js',
  fs.readFileSync(path.join(generated, 'w/worker.js'), 'utf8'));
await script('reader/src/packer-worker.ts', 'iife',
  path.join(generated, 'w/packer.js'));
const packer = fs.readFileSync(path.join(generated, 'w/packer.js'), 'utf8');

const single = path.join(generated, 'single');
await page(single, true);
const parts = partsOf(sources, [...takePackages(single), coastLicence()]);
const all = licences(parts);
fs.writeFileSync(path.join(out, 'parts.json'), JSON.stringify(
  parts.map(({ name, version, identifier }) =>
    ({ name, version, licence: identifier })), null, 1));
fs.writeFileSync(path.join(out, 'viewer.html'),
  withLicences(inline(single), all));
const split = path.join(out, 'split');
await page(split, false);
flatten(split);
takePackages(split);
for (const directory of [out, split]) {
  fs.writeFileSync(path.join(directory, 'licences.txt'), all);
  fs.writeFileSync(path.join(directory, 'packer.js'),
    `globalThis.nc3zPacker = ${JSON.stringify(packer)};\n`);
  fs.writeFileSync(path.join(directory, 'coast.js'), coastScript());
}
for (const name of ['viewer.html', 'packer.js', 'coast.js']) {
  const data = fs.readFileSync(path.join(out, name));
  console.log(`${name}: ${data.length} bytes, ` +
    `${gzipSync(data, { level: 9 }).length} in gzip`);
}
