/* SPDX-License-Identifier: MIT */
/** The licences of all that is in the page or in the npm package, as one text. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Emscripten's C library, in each module; where it is, its tools say. */
function muslCopyright() {
  const emscripten = execFileSync('em-config', ['EMSCRIPTEN_ROOT'],
    { encoding: 'utf8' }).trim();
  return path.join(emscripten, 'system/lib/libc/musl/COPYRIGHT');
}

/** What is compiled in, beside nc3z itself; versions by Debian's tarballs. */
function compiled(sources) {
  const tarballs = fs.readdirSync(sources).join('\n');
  const parts = [
    ['Zstandard', 'BSD-3-Clause', 'libzstd', 'LICENSE'],
    ['libdeflate', 'MIT', 'libdeflate', 'COPYING'],
    ['bzip2 and libbzip2', 'bzip2-1.0.6', 'bzip2', 'LICENSE'],
    ['XZ Utils, of which liblzma', 'public domain', 'xz-utils', 'COPYING'],
  ].map(([name, identifier, directory, file]) => ({
    name, identifier,
    version: new RegExp(`^${directory}_(.*)[.]orig[.]`, 'm').exec(tarballs)?.[1],
    text: fs.readFileSync(path.join(sources, directory, file), 'utf8'),
  }));
  return [...parts, { name: 'musl, of Emscripten', identifier: 'MIT',
    text: fs.readFileSync(muslCopyright(), 'utf8') }];
}

/** Each text once, with the names of all that have it. */
function section([text, parts]) {
  const names = parts.map((p) =>
    [p.name, p.version, `(${p.identifier})`].filter(Boolean).join(' '));
  return `${names.join('\n')}\n\n${text}\n`;
}

/** The npm packages of which something is in a script that esbuild has made. */
export function packagesOf(root, { outputs }) {
  const inputs = Object.values(outputs).flatMap((o) => Object.entries(o.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /^node_modules\/((@[^/]+\/)?[^/]+)\//.exec(file)?.[0]);
  return [...new Set(inputs)].filter(Boolean).sort()
    .map((directory) => packageOf(path.join(root, directory)));
}

export function packageOf(directory) {
  const { name, version, license } = JSON.parse(
    fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
  return { name, version, identifier: license,
    text: fs.readFileSync(path.join(directory, 'LICENSE'), 'utf8') };
}

/**
 * Ours first, then what Emscripten has compiled, then npm packages:
 * { name, version, identifier, text }.
 */
export function partsOf(sources, packages) {
  const ours = fs.readFileSync(path.join(project, 'LICENSE'), 'utf8');
  return [
    { name: 'nc3z', identifier: 'MIT', text: ours },
    ...compiled(sources),
    { name: "Emscripten's JavaScript", identifier: 'MIT', text:
      'Copyright (c) 2010-2014 Emscripten authors, on the terms of the first ' +
      'text above.' },
    ...packages,
  ];
}

export function licences(parts) {
  const byText = new Map();
  for (const part of parts) {
    const text = part.text?.trim() || 'The package has no text of its licence.';
    byText.set(text, [...byText.get(text) ?? [], part]);
  }
  return [...byText].map(section).join(`\n${'-'.repeat(72)}\n\n`);
}
