/* SPDX-License-Identifier: MIT */
/** Several files that are one series in time, on one page. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { classicFile } from './classic.mjs';
import {
  barriers, begin, compareShot, data, drawn, end, quiet, running, tab,
} from './pages.mjs';
import { newPage, pack, run } from './setup.mjs';

const YEARS = [2001, 2002, 2003];
const MONTHS = [15, 45, 74, 105];

/**
 * Four months of a year, in days of that year: t is month + 10 * (year - 2001)
 * everywhere, plus its latitude.
 */
function yearFile(year, { nlat = 19, nlon = 36, change = (vars) => vars,
  nrecords = 4, calendar = 'standard' } = {}) {
  const lat = (j) => -90 + 180 / (nlat - 1) * j;
  return classicFile({ time: 0, lat: nlat, lon: nlon }, change([
    { name: 'lon', dims: ['lon'], attributes: { units: 'degrees_east' },
      values: (i) => i * 360 / nlon },
    { name: 'lat', dims: ['lat'], attributes: { units: 'degrees_north' },
      values: lat },
    { name: 'time', dims: ['time'], attributes: { calendar,
      units: `days since ${year}-01-01`, bounds: 'time_bnds' },
    values: (i) => MONTHS[i] },
    { name: 'time_bnds', dims: ['time'], values: (i) => MONTHS[i] - 1 },
    { name: 't', dims: ['time', 'lat', 'lon'],
      attributes: { long_name: 'temperature', units: 'degC' },
      values: (i) => Math.floor(i / nlat / nlon) + 10 * (year - 2001) +
        lat(Math.floor(i / nlon) % nlat) },
  ]), nrecords);
}

function make(name, bytes) {
  fs.writeFileSync(path.join(data, `${name}.nc`), bytes);
  pack(path.join(data, `${name}.nc`), path.join(data, `${name}.nc.nc3z`));
}

before(async () => {
  await begin();
  YEARS.forEach((year) => make(`t.${year}`, yearFile(year)));
});

after(end);

async function open(names, { hash = '', ...options } = {}) {
  const page = await newPage(running.browser, options);
  const urls = names.map((name) => `url=/data/${name}`).join('&');
  await page.goto(`${running.server.url}/page/viewer.html?${urls}${hash}`);
  return page;
}

const names = YEARS.map((year) => `t.${year}.nc.nc3z`);
const change = (name, to) => (vars) =>
  vars.map((v) => v.name === name ? { ...v, ...to } : v);

async function saved(page, name) {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).first().click();
  const to = path.join(data, 'saved');
  await (await download).saveAs(to);
  return { to, name: (await download).suggestedFilename() };
}

const texts = (page, label) => page.getByRole('slider', { name: label })
  .getAttribute('aria-valuetext');

describe('a series', () => {
  test('has one slider; a map is read from its file alone', async () => {
    // the order of the addresses is not that of the times
    const page = await open([names[2], names[0], names[1]],
      { hash: '#v=t&s=0,y,x' });
    await drawn(page);
    const slider = page.getByRole('slider', { name: 'time', exact: true });
    assert.equal(await slider.getAttribute('max'), '11');
    assert.equal(await texts(page, 'time'), '2001-01-16');
    await page.getByRole('heading', { name: 't.2001-2003' }).waitFor();
    assert.match(await page.locator('.top .note').innerText(), /^3 files, /);
    await slider.fill('9');
    await page.waitForFunction(() => location.hash.includes('s=9,y,x'));
    await drawn(page);
    assert.equal(await texts(page, 'time'), '2003-02-15');
    assert.match(await page.getByTestId('shown').innerText(),
      /\u221269 to 111 /);
    await quiet(page);
  });

  test('reads of each file what it needs', async () => {
    const noisy = YEARS.map((year) => `noise.${year}`);
    noisy.forEach((name, i) => make(name, yearFile(YEARS[i], { nlat: 91,
      nlon: 180, change: change('t', {
        values: (n) => Math.sin(n * n + 1e4 * Math.sin(n)) }) })));
    const files = noisy.map((name) => `${name}.nc.nc3z`);
    const take = () => files.map((name) => running.server.take(name).bytes);
    const sizes = files.map((name) => fs.statSync(path.join(data, name)).size);
    take();
    const page = await open(files, { hash: '#v=t&s=0,y,x' });
    await drawn(page);
    const [first, ...others] = take();
    assert.ok(others.every((n, i) => n < sizes[i + 1] * 0.8),
      `opened: ${others} of ${sizes}`);
    assert.ok(first > Math.max(...others), `${first}, ${others}`);
    await page.getByRole('slider', { name: 'time', exact: true }).fill('7');
    await page.waitForFunction(() => location.hash.includes('s=7,y,x'));
    await drawn(page);
    const [before, its, after] = take();
    assert.deepEqual([before, after], [0, 0]);
    assert.ok(its > 0 && its < sizes[1] / 2, `${its} of ${sizes[1]}`);
    await quiet(page);
  });

  test('has a series at a point through all files, as CSV too', async () => {
    const page = await open(names, { hash: '#v=t&s=5,y,x&at=5,9,0' });
    await drawn(page);
    await page.getByRole('slider', { name: 'Values of t' }).waitFor();
    assert.match(await page.getByTestId('series-plan').innerText(),
      /^12 values in \d+ blocks, /);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).last().click();
    const days = ['01-16', '02-15', '03-16', '04-16'];
    assert.equal(fs.readFileSync(await (await download).path(), 'utf8'),
      `"time","lat","lon","t"\n${YEARS.flatMap((year, y) => days.map((day, i) =>
        `"${year}-${day}",0,0,${10 * y + i}\n`)).join('')}`);
    assert.deepEqual(await barriers(page), []);
    await compareShot(page, 'joined');
    await quiet(page);
  });

  test('is saved as netCDF, with times in one unit', async () => {
    const page = await open(names, { hash: '#v=t&s=y,3,x' });
    await drawn(page);
    const { to, name } = await saved(page, 'netCDF');
    assert.equal(name, 't.2001-2003.t.nc');
    const text = run('nc3dump', '-v', 'time', to).toString();
    assert.match(text, /double time\(time\)/);
    assert.match(text, /time:units = "days since 2001-01-01"/);
    assert.match(text, new RegExp(` time = ${[0, 365, 730].flatMap((n) =>
      MONTHS.map((day) => n + day)).join(', ')} ;`));
    const values = run('nc3dump', '-B', '-v', 't', to);
    assert.equal(values.length, 4 * 12 * 36);
    assert.equal(values.readFloatLE(4 * 7 * 36), 13 - 60);
    await quiet(page);
  });

  test('bounds of times are times of the series, too', async () => {
    const page = await open(names, { hash: '#v=time_bnds' });
    await drawn(page);
    const { to } = await saved(page, 'CSV');
    assert.match(fs.readFileSync(to, 'utf8'), /"2003-01-16",744\n/);
    await quiet(page);
  });

  test('runs on from file to file', async () => {
    const page = await open(names, { hash: '#v=t&s=3,y,x' });
    await drawn(page);
    await page.getByRole('button', { name: 'Play along time' }).click();
    await page.waitForFunction(() => location.hash.includes('s=5,y,x'));
    await page.getByRole('button', { name: 'Stop along time' }).click();
    await quiet(page);
  });

  test('other panes are about one of its files', async () => {
    const page = await open(names, { hash: '#p=header' });
    const cdl = page.getByTestId('cdl');
    await page.waitForFunction(() => document.querySelector(
      '[data-testid=cdl]')?.textContent.includes('days since 2001'));
    await page.getByRole('combobox', { name: 'File' })
      .selectOption(names[1]);
    await page.waitForFunction(() => document.querySelector(
      '[data-testid=cdl]')?.textContent.includes('days since 2002'));
    assert.equal(await cdl.textContent(),
      run('nc3dump', '-h', path.join(data, names[1])).toString());
    await tab(page, 'Check').click();
    await page.getByRole('button', { name: 'Full check' }).click();
    await page.locator('.good').waitFor();
    assert.match(await page.getByLabel('SHA-256').innerText(), /t\.2002\.nc$/);
    await tab(page, 'Storage').click();
    await page.getByTestId('storage').waitFor();
    assert.deepEqual(await barriers(page), []);
    await quiet(page);
  });

  test('of files that are chosen on this machine', async () => {
    const page = await newPage(running.browser);
    await page.goto(`${running.server.url}/page/viewer.html`);
    await page.getByLabel('Files to open').setInputFiles([names[1],
      't.2001.nc'].map((name) => path.join(data, name)));
    await drawn(page);
    await page.getByRole('heading', { name: 't.2001-2002' }).waitFor();
    assert.equal(await page.getByRole('slider', { name: 'time' })
      .getAttribute('max'), '7');
    await quiet(page);
  });

  test('390 pixels and dark', async () => {
    const page = await open(names, { hash: '#v=t&s=5,y,x&at=5,9,0',
      viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true,
      colorScheme: 'dark' });
    await drawn(page);
    await page.getByRole('slider', { name: 'Values of t' }).waitFor();
    assert.ok(await page.evaluate(() =>
      document.documentElement.scrollWidth <= innerWidth));
    await quiet(page);
  });
});

describe('what differs from file to file', () => {
  test('packing: values are unpacked, shown and saved', async () => {
    make('packed', yearFile(2004, { change: change('t', { attributes: {
      units: 'degC', scale_factor: 2, add_offset: 100 } }) }));
    const page = await open([...names, 'packed.nc.nc3z'],
      { hash: '#v=t&s=12,y,x' });
    await drawn(page);
    assert.match(await page.getByTestId('shown').innerText(), /\u221220 to 340/);
    const { to } = await saved(page, 'netCDF');
    const text = run('nc3dump', '-h', to).toString();
    assert.doesNotMatch(text, /scale_factor/);
    assert.equal(run('nc3dump', '-B', '-v', 't', to).readFloatLE(0),
      100 + 2 * (30 - 90));
    await quiet(page);
  });

  test('files that do not join are named, with the reason', async () => {
    const odd = {
      'other-grid': [yearFile(2004, { nlon: 30 }),
        'lon has other dimensions than in t.2001.nc.nc3z'],
      'other-places': [yearFile(2004, { change: change('lat',
        { values: (j) => j }) }), 'lat has other values than in t.2001'],
      'other-units': [yearFile(2004, { change: change('t',
        { attributes: { units: 'K' } }) }),
      'the units of t are "K", and "degC" in t.2001'],
      'other-calendar': [yearFile(2004, { calendar: 'noleap' }),
        'the units of time are "days since 2004-01-01" or in another calendar'],
      'other-variables': [yearFile(2004, { change: (vars) => vars.slice(0, 4) }),
        'the variable t is not both here and in t.2001'],
      same: [yearFile(2002), 'its time goes from 2002-01-16 to 2002-04-16, and ' +
        'from 2002-01-16 to 2002-04-16 in t.2002.nc.nc3z: they do not follow'],
      empty: [yearFile(2004, { nrecords: 0 }), 'it has no records'],
      fixed: [classicFile({ time: 2 }, [{ name: 't', dims: ['time'],
        values: (i) => i }]), 'it has no record dimension'],
    };
    for (const [name, [bytes]] of Object.entries(odd)) {
      make(name, bytes);
    }
    fs.writeFileSync(path.join(data, 'text.nc.nc3z'), 'no archive');
    const page = await open([...names,
      ...Object.keys(odd).map((name) => `${name}.nc.nc3z`), 'text.nc.nc3z',
      'missing.nc.nc3z'], { hash: '#v=t&s=0,y,x' });
    await drawn(page);
    assert.equal(await page.getByRole('slider', { name: 'time' })
      .getAttribute('max'), '11');
    const list = page.getByRole('alert');
    await list.getByText('10 files not in this series').click();
    const lines = await list.locator('li').allInnerTexts();
    for (const [name, [, why]] of Object.entries(odd)) {
      assert.ok(lines.some((line) => line.startsWith(
        `${name}.nc.nc3z: ${why}`)), `${name}: ${lines.join('\n')}`);
    }
    assert.ok(lines.some((line) => line.startsWith('text.nc.nc3z: ')));
    assert.ok(lines.some((line) => /^missing\.nc\.nc3z: .*404/.test(line)));
    // the browser itself notes what the server did not have
    page.faults = page.faults.filter((fault) => !fault.includes('404'));
    await quiet(page);
  });

  test('damage names the file', async () => {
    const bytes = fs.readFileSync(path.join(data, names[1]));
    const [block] = JSON.parse(run('nc3dump', '--json', '--blocks',
      path.join(data, names[1]))).variables.find((v) => v.name === 't')
      .storage.block_list;
    bytes[block.offset + block.stored_bytes - 9] ^= 1;
    fs.writeFileSync(path.join(data, 'bad.nc.nc3z'), bytes);
    const page = await open([names[0], 'bad.nc.nc3z'],
      { hash: '#v=t&s=0,y,x' });
    await drawn(page);
    await page.getByRole('slider', { name: 'time' }).fill('4');
    await page.locator('[data-testid=shown][data-state=error]').waitFor();
    assert.match(await page.getByRole('alert').innerText(),
      /^bad\.nc\.nc3z: /);
    await quiet(page);
  });

  test('none that joins, and too many', async () => {
    const page = await open(['fixed.nc.nc3z', 'missing.nc.nc3z']);
    await page.getByText('missing.nc.nc3z').waitFor();
    await page.context().close();
    const many = await open(Array.from({ length: 367 }, () => 'x'));
    await many.getByText('367 files are too many').waitFor();
    await quiet(many);
  });
});
