/* SPDX-License-Identifier: MIT */
/** The licences of all that is in the page or in the npm package, as one text. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const project = path.join(import.meta.dirname, '../..');

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

/**
 * Ours first, then what Emscripten has compiled, then npm packages as Vite
 * lists them: { name, version, identifier, text }.
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
