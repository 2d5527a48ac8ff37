/* SPDX-License-Identifier: MIT */
/** What is shown, as a file. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { classicFile, latitudes } from './classic.mjs';
import { begin, coads, data, drawn, end, quiet, running, show }
  from './pages.mjs';
import { classicData, pack, run } from './setup.mjs';

before(async () => {
  await begin();
  const file = path.join(data, 'down.nc');
  fs.writeFileSync(file, latitudes({ isDown: true }));
  pack(file, `${file}.nc3z`);
});

after(end);

async function saved(page, name) {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const to = await download;
  const file = path.join(data, `saved-${to.suggestedFilename()}`);
  await to.saveAs(file);
  return file;
}

/** The lines of nc3dump, without the name of the file. */
const dump = (...args) => run('nc3dump', ...args).toString().split('\n')
  .slice(1);

describe('netCDF', () => {
  test('of one time: values, coordinates, attributes', async () => {
    const page = await show('coads_climatology.cdf.nc3z',
      { hash: '#v=SST&s=3,y,x' });
    await drawn(page);
    const file = await saved(page, 'netCDF');
    assert.match(file, /coads_climatology\.cdf\.SST\.nc$/);
    // by a program that has never seen the page
    const part = (name, at) => run('nc3dump', '-B', '-v', name + at, coads);
    for (const [name, at] of [['SST', '[3,:,:]'], ['TIME', '[3]'],
      ['COADSX', ''], ['COADSY', '']]) {
      assert.ok(run('nc3dump', '-B', '-v', name, file)
        .equals(part(name, at)), name);
    }
    const json = (from) => JSON.parse(run('nc3dump', '--json', from));
    const [small, all] = [json(file), json(coads)];
    assert.deepEqual(small.attributes, all.attributes);
    for (const v of small.variables) {
      assert.deepEqual(v.attributes,
        all.variables.find((w) => w.name === v.name).attributes);
    }
    assert.deepEqual(small.dimensions.map((d) => [d.name, d.length]),
      [['TIME', 1], ['COADSY', 90], ['COADSX', 180]]);
    await quiet(page);
  });

  test('of what is seen of it', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    for (let i = 0; i < 4; i++) {
      await page.getByRole('button', { name: 'Closer' }).click();
    }
    const file = await saved(page, 'netCDF');
    const text = dump(file).join('\n');
    const lat = /\n lat = ([^;]*);/.exec(text)[1].split(',').map(Number);
    assert.ok(lat.length >= 3 && lat.length <= 6, String(lat));
    assert.ok(Math.abs(lat[0] + lat.at(-1)) < 1e-9, 'around the middle');
    assert.match(text, /\n level = 1000 ;/);
    await quiet(page);
  });

  test('of every type, scalars and text, as it is stored', async () => {
    for (const name of ['cdf1-all-types', 'cdf5-all-types']) {
      const original = path.join(classicData, `${name}.nc`);
      fs.copyFileSync(original, path.join(data, `${name}.nc`));
      const { variables } = JSON.parse(run('nc3dump', '--json', original));
      for (const { name: v } of variables.filter((w) =>
        w.type !== 'char' && !w.shape.includes(0))) {
        const page = await show(`${name}.nc`, { hash: `#v=${v}` });
        await drawn(page);
        const file = await saved(page, 'netCDF');
        const body = (from) => dump('-v', v, from).join('\n')
          .split('data:')[1];
        assert.equal(body(file), body(original), `${name}: ${v}`);
        await quiet(page);
      }
    }
  });
});

test('CSV: places are those of the file, whatever their order', async () => {
  const file = path.join(data, 'back.nc');
  fs.writeFileSync(file, classicFile({ time: 3 }, [
    { name: 'time', dims: ['time'],
      attributes: { units: 'days since 2000-01-01' },
      values: (i) => [0, 5, 3][i] },
    { name: 'v', dims: ['time'], values: (i) => i }]));
  pack(file, `${file}.nc3z`);
  const page = await show('back.nc.nc3z', { hash: '#v=v' });
  await drawn(page);
  assert.equal(fs.readFileSync(await saved(page, 'CSV'), 'utf8'), `"time","v"
"2000-01-01",0
"2000-01-06",1
"2000-01-04",2
`);
  await quiet(page);
});

test('CSV: a line for each value, with its place', async () => {
  const page = await show('down.nc.nc3z', { hash: '#v=t&s=1,2,y,x' });
  await drawn(page);
  const lines = fs.readFileSync(await saved(page, 'CSV'), 'utf8').split('\n');
  assert.equal(lines[0], '"time","level","lat","lon","t"');
  assert.equal(lines[1], '"2001-02-28 06:00",200,90,0,100');
  assert.equal(lines[2], '"2001-02-28 06:00",200,90,10,100');
  assert.equal(lines[19 * 36], '"2001-02-28 06:00",200,-90,350,-80');
  assert.equal(lines.length, 19 * 36 + 2);
  await quiet(page);
});

test('picture: map, axes and bar, twice as fine', async () => {
  const page = await show('coads_climatology.cdf.nc3z');
  await drawn(page);
  const bytes = fs.readFileSync(await saved(page, 'picture'));
  const other = await running.browser.newPage();
  const colours = await other.evaluate(async (base64) => {
    const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([data]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const at = (x, y, w, h) => new Set(new Uint32Array(context.getImageData(
      x * bitmap.width, y * bitmap.height, w * bitmap.width,
      h * bitmap.height).data.buffer)).size;
    return { map: at(0.3, 0.3, 0.4, 0.3), below: at(0, 0.93, 1, 0.07),
      left: at(0, 0.2, 0.07, 0.4), width: bitmap.width };
  }, bytes.toString('base64'));
  assert.ok(colours.map > 50, 'colours of the map');
  assert.ok(colours.below > 5 && colours.left > 5, 'texts');
  assert.ok(colours.width > 1600);
  await other.close();
  await quiet(page);
});
