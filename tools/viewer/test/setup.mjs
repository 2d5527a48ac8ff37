/* SPDX-License-Identifier: MIT */
/** What all tests start with: places, a browser, files to read. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const project = path.resolve(here, '../../..');

/** Where ./dev viewer has built it, and the programs. */
export const built = process.env.NC3Z_VIEWER_BUILD ??
  path.join(project, 'build-viewer');
export const bin = process.env.NC3Z_BIN ?? path.join(project, 'build/bin');
export const corpus = process.env.NC3Z_CORPUS;
export const classicData = path.join(project, 'testdata/classic');
const ferretData = '/usr/share/ferret-vis/data';

export function run(tool, ...args) {
  return execFileSync(path.join(bin, tool), args,
    { maxBuffer: 2 ** 31, stdio: ['ignore', 'pipe', 'pipe'] });
}

export function temporary() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'nc3z-viewer-'));
  process.on('exit', () => fs.rmSync(directory,
    { recursive: true, force: true }));
  return directory;
}

/** Packs; warnings about odd originals are no failures. */
export function pack(file, archive, ...options) {
  try {
    run('nc3compress', '-qkf', ...options, file, '-o', archive);
  } catch (error) {
    if (error.status !== 3) {
      throw error;
    }
  }
  return archive;
}

/** An archive of one of ferret-datasets' files, made now. */
export function packFerret(name, directory, ...options) {
  const archive = path.join(directory, `${name}.nc3z`);
  return pack(path.join(ferretData, name), archive, ...options);
}

/** A file of test/independent, of which archives make use of all codecs. */
export function makeSample(name, directory) {
  const file = path.join(directory, `${name}.nc`);
  const bytes = execFileSync('python3', ['-B', '-c', `import sys, sample_files
sys.stdout.buffer.write(sample_files.FILES["${name}"][0]())`], {
    maxBuffer: 2 ** 31,
    env: { ...process.env, PYTHONPATH: ['test/independent', 'testdata']
      .map((p) => path.join(project, p)).join(':') },
  });
  fs.writeFileSync(file, bytes);
  return file;
}

export const ferret = (name) => path.join(ferretData, name);

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader'],
  });
}

/** A page that tells what goes wrong in it. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 720 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      page.faults.push(message.text());
    }
  });
  return page;
}
