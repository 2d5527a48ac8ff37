/* SPDX-License-Identifier: MIT */
/** The page in a browser, with data and a server beside it. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { differingPart } from './picture.mjs';
import { serve } from './server.mjs';
import {
  built, here, launch, newPage, pack, packFerret, temporary,
} from './setup.mjs';

export const data = temporary();
export const coads = path.join(data, 'coads_climatology.cdf.nc3z');
export const axe = fs.readFileSync(path.join(here,
  '../node_modules/axe-core/axe.min.js'), 'utf8');

/** Here once begin() has made them. */
export const running = { server: null, browser: null };

export async function begin() {
  for (const name of ['coads', 'levitus']) {
    packFerret(`${name}_climatology.cdf`, data);
  }
  packFerret('etopo5.cdf', data);
  running.server = await serve({ page: built, data });
  running.browser = await launch();
}

export async function end() {
  await running.browser?.close();
  await running.server?.close();
}

export async function show(name, { hash = '', mode = '', ...options } = {}) {
  const page = await newPage(running.browser, options);
  await page.goto(`${running.server.url}/page/viewer.html?url=${mode}/data/` +
    name + hash);
  return page;
}

/** An archive of bytes. */
export function make(name, bytes) {
  const file = path.join(data, `${name}.nc`);
  fs.writeFileSync(file, bytes);
  return pack(file, `${file}.nc3z`);
}

export const plot = (page) => page.getByRole('application');
export const reading = (page) => page.getByTestId('reading').innerText();
/** The bar comes a moment after the values are there. */
export async function bar(page) {
  const texts = page.getByTestId('bar').locator('text');
  await texts.first().waitFor();
  return texts.allTextContents();
}

/** Looks at a place of the map, 0 to 1 from top left. */
export async function look(page, x, y) {
  const box = await plot(page).boundingBox();
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  return reading(page);
}

export const choice = (page, name) =>
  page.getByRole('combobox', { name, exact: true });

export const hashOf = (page) =>
  Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)));

export const tab = (page, name) => page.getByRole('tab', { name, exact: true });

/** When the picture is that of what is chosen. */
export async function drawn(page) {
  await page.locator('[data-testid=shown][data-state=drawn]')
    .waitFor({ timeout: 60_000 });
}

export async function quiet(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

/** What axe finds. */
export async function barriers(page) {
  // axe comes by the debugger, as the policy lets no script in
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ resultTypes: ['violations'] }));
  return violations.map((v) =>
    `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`);
}

/**
 * Beside the picture that is kept as documentation: how letters are drawn
 * differs from machine to machine, whether there are any does not.
 */
export async function compareShot(page, name) {
  const kept = path.join(here, `pictures/${name}.png`);
  let before = Buffer.alloc(0);
  let shot = before;
  // until nothing moves any more
  for (let i = 0; i < 20 && (i < 2 || !shot.equals(before)); i++) {
    before = shot;
    await page.waitForTimeout(500);
    shot = await page.screenshot({ animations: 'disabled' });
  }
  if (process.env.NC3Z_NEW_PICTURES) {
    fs.mkdirSync(path.dirname(kept), { recursive: true });
    fs.writeFileSync(kept, shot);
  }
  const part = await differingPart(running.browser, shot,
    fs.readFileSync(kept));
  if (part >= 0.02) {
    const file = path.join(built, `${name}.png`);
    fs.writeFileSync(file, shot);
    assert.fail(`${(100 * part).toFixed(1)} % of ${name} differs: ${file}`);
  }
}
