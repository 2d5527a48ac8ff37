/* SPDX-License-Identifier: MIT */
/** What people choose: points, steps, limits, and that it stays. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { classicFile, latitudes } from './classic.mjs';
import {
  bar, begin, choice, coads, compareShot, drawn, end, hashOf, look, make, plot,
  quiet, show,
} from './pages.mjs';
import { run } from './setup.mjs';

before(async () => {
  await begin();
  make('down', latitudes({ isDown: true }));
});

after(end);

describe('limits of colours', () => {
  test('stay while the time changes, until they are wanted wider', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    const first = await bar(page);
    const on = page.getByRole('button', { name: 'time: on' });
    const widen = page.getByRole('button', { name: 'Widen' });
    assert.equal(await widen.count(), 0);
    for (let i = 0; i < 3; i++) {
      await on.click();
      await drawn(page);
    }
    assert.deepEqual(await bar(page), first);
    await widen.click();
    const [low, high] = ['from', 'to'].map((label) =>
      page.getByLabel(label, { exact: true }));
    assert.equal(await low.inputValue(), '-90');
    assert.equal(await high.inputValue(), '120');
    assert.equal(await widen.count(), 0);
    // what is typed stays; "Fit" is about what is shown
    await low.fill('-40');
    await low.press('Enter');
    await page.getByRole('button', { name: 'time: back' }).click();
    await drawn(page);
    assert.equal(await low.inputValue(), '-40');
    await page.getByRole('button', { name: 'Fit' }).click();
    assert.equal(await low.inputValue(), '-70');
    assert.equal(await high.inputValue(), '110');
    await quiet(page);
  });

  test('the wrong way round are turned, and that is said', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    const [low, high] = ['from', 'to'].map((label) =>
      page.getByLabel(label, { exact: true }));
    await low.fill('300');
    await low.press('Enter');
    await page.getByRole('alert').getByText('90 to 300').waitFor();
    assert.ok((await bar(page)).includes('100'));
    await high.fill('abc');
    await high.press('Enter');
    assert.equal(await high.inputValue(), '90');
    await high.fill('400');
    await high.press('Enter');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal(await low.inputValue(), '300');
    await quiet(page);
  });
});

describe('other pictures', () => {
  test('one value is said, not drawn', async () => {
    make('single', classicFile({ height: 1, x: 3 }, [
      { name: 'height', dims: ['height'], attributes: { units: 'm' },
        values: () => 2 },
      { name: 'scalar', dims: [], attributes: { units: 'K' },
        values: () => -27.5 },
      { name: 'level', dims: ['height'], values: () => 7 },
      { name: 'f', dims: ['x'], values: (i) => i },
    ]));
    for (const [name, text] of [['scalar', '\u221227.5 K'],
      ['level', '7, height 2 m']]) {
      const page = await show('single.nc.nc3z', { hash: `#v=${name}` });
      await page.getByTestId('single').getByText(text, { exact: true })
        .waitFor();
      await quiet(page);
    }
  });

  test('tables have pages', async () => {
    make('long', classicFile({ y: 450, x: 60 }, [{ name: 'v', dims: ['y', 'x'],
      values: (i) => i }]));
    const page = await show('long.nc.nc3z', { hash: '#v=v' });
    await drawn(page);
    await choice(page, 'as').selectOption('table');
    await page.getByText('rows 1 to 200 of 450').waitFor();
    const cells = page.getByTestId('numbers').locator('tbody tr');
    await page.getByRole('button', { name: 'rows after' }).click();
    await page.getByRole('button', { name: 'rows after' }).click();
    await page.getByRole('button', { name: 'columns after' }).click();
    assert.equal(await cells.count(), 50);
    const texts = (await cells.last().innerText()).split(/\s+/);
    assert.deepEqual(texts, [449, ...Array.from({ length: 10 }, (_, i) =>
      449 * 60 + 50 + i)].map(String));
    assert.ok(await page.getByRole('button', { name: 'rows after' })
      .isDisabled());
    await quiet(page);
  });

  test('texts have pages, and are saved whole', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `station "${i}"`);
    make('names', classicFile({ half: 2, station: 250, letters: 16 }, [
      { name: 'name', dims: ['half', 'station', 'letters'],
        text: names.map((name) => name.padEnd(16, '\0')).join('') }]));
    const page = await show('names.nc.nc3z');
    const rows = page.getByTestId('texts').locator('tr');
    await rows.first().waitFor();
    for (let i = 0; i < 2; i++) {
      await page.getByRole('button', { name: 'rows after' }).click();
    }
    await page.getByText('rows 401 to 500 of 500').waitFor();
    await page.getByText('station "499"').waitFor();
    assert.match(await rows.first().innerText(), /^400\s+station "400"$/);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    assert.equal(fs.readFileSync(await (await download).path(), 'utf8'),
      `"half","station","name"\n${names.map((_, i) =>
        `${Math.floor(i / 250)},${i % 250},"station ""${i}"""\n`).join('')}`);
    await quiet(page);
  });

  test('longitudes of two dimensions are told under the pointer', async () => {
    const grid = (name, dims, units, values) => ({ name, dims, values,
      attributes: { units } });
    make('curved', classicFile({ time: 2, j: 4, i: 6 }, [
      grid('nav_lon', ['j', 'i'], 'degrees_east', (n) => n),
      grid('nav_lat', ['i', 'j'], 'degrees_north', (n) => n % 4 * 10),
      { name: 'sst', dims: ['time', 'j', 'i'], values: (n) => n,
        attributes: { coordinates: 'nav_lon nav_lat' } },
    ]));
    const page = await show('curved.nc.nc3z', { hash: '#v=sst' });
    await drawn(page);
    await look(page, 0.4, 0.4);
    await page.getByTestId('reading').getByText('lat 20\u00b0N').waitFor();
    assert.match(await look(page, 0.4, 0.4), /i 2\nj 2\nlon 14\u00b0E\nlat 20/);
    await quiet(page);
  });

  test('a section is cut at the point, or else in the middle', async () => {
    for (const [at, lat] of [['', 9], ['&at=0,0,5,30', 5]]) {
      const page = await show('down.nc.nc3z', { hash: `#v=t${at}` });
      await drawn(page);
      await choice(page, 'up').selectOption('level');
      await drawn(page);
      assert.equal(hashOf(page).s, `0,y,${lat},x`);
      // what was no axis begins anew
      await choice(page, 'up').selectOption('lat');
      await drawn(page);
      assert.equal(hashOf(page).s, '0,0,y,x');
      await quiet(page);
    }
  });

  test('indices are whole, and corners are no field', async () => {
    make('cells', classicFile({ cell: 6, corners: 4, maxNodePElement: 3 }, [
      { name: 'corner_lat', dims: ['cell', 'corners'], values: (i) => i },
      { name: 'nodes', dims: ['cell', 'maxNodePElement'], values: (i) => i },
      { name: 'area', dims: ['cell'], values: (i) => i },
    ]));
    const page = await show('cells.nc.nc3z');
    await drawn(page);
    await page.getByRole('heading', { name: 'area' }).waitFor();
    await page.getByRole('button', { name: /^corner_lat/ }).click();
    await drawn(page);
    const texts = await page.locator('.room .axis text:not(.title)')
      .allTextContents();
    assert.ok(texts.includes('3') && texts.every((text) => /^\d+$/.test(text)),
      String(texts));
    await quiet(page);
  });
});

describe('steps', () => {
  test('by keys, where no control takes them', async () => {
    const page = await show('down.nc.nc3z', { hash: '#v=t&s=1,0,y,x' });
    await drawn(page);
    for (const [key, at] of [['ArrowRight', 2], ['.', 3], ['.', 3],
      [',', 2], ['ArrowLeft', 1]]) {
      await page.keyboard.press(key);
      await drawn(page);
      assert.equal(hashOf(page).s, `${at},0,y,x`, key);
    }
    await plot(page).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('from', { exact: true }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press(',');
    await page.getByRole('tab', { name: 'Header' }).click();
    await page.keyboard.press('.');
    await page.getByRole('tab', { name: 'Header' }).blur();
    await page.keyboard.press('.');
    await page.waitForTimeout(200);
    assert.equal(hashOf(page).s, '1,0,y,x');
    await quiet(page);
  });

  test('of a film go at the speed that is wanted, and back', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    await page.evaluate(() => {
      globalThis.seen = ['0'];
      setInterval(() => {
        const at = new URLSearchParams(location.hash.slice(1)).get('s')[0];
        if (at !== globalThis.seen.at(-1)) {
          globalThis.seen.push(at);
        }
      }, 10);
    });
    await choice(page, 'speed').selectOption('backwards');
    await page.getByRole('button', { name: 'Play along time' }).click();
    await page.waitForFunction(() => globalThis.seen.length > 4);
    assert.deepEqual((await page.evaluate(() => globalThis.seen)).slice(0, 5),
      ['0', '3', '2', '1', '0']);
    const n = () => page.evaluate(() => globalThis.seen.length);
    await choice(page, 'speed').selectOption('slow');
    await page.waitForTimeout(300);
    const before = await n();
    await page.waitForTimeout(1500);
    assert.ok(await n() - before <= 3, 'slow');
    await quiet(page);
  });
});

describe('large', () => {
  test('the map takes the width beside a series, which is higher', async () => {
    const page = await show('down.nc.nc3z',
      { hash: '#v=t&s=0,0,y,x&at=0,0,5,0' });
    await drawn(page);
    const line = page.locator('figure svg');
    await line.waitFor();
    const sizes = async () => Promise.all([plot(page), line].map(
      async (part) => await part.boundingBox()));
    const [map, series] = await sizes();
    await page.getByLabel('large').check();
    await page.waitForFunction((width) =>
      document.querySelector('.plot').clientWidth > 1.4 * width, map.width);
    const [wide, high] = await sizes();
    assert.ok(wide.width / wide.height > 1.9 && wide.width / wide.height < 2.1);
    assert.ok(high.height > 1.5 * series.height);
    await page.getByLabel('large').uncheck();
    await page.waitForFunction((width) =>
      document.querySelector('.plot').clientWidth <= width + 1, map.width);
    await quiet(page);
  });
});

describe('the address', () => {
  test('has what was chosen, and a reload shows it', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    assert.deepEqual(hashOf(page), { v: 't', s: '0,0,y,x' });
    await choice(page, 'colours').selectOption('blue to red');
    await page.getByLabel('reversed').check();
    await page.getByLabel('coastlines').uncheck();
    await page.getByLabel('to', { exact: true }).fill('1e2');
    await page.getByLabel('to', { exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Closer' }).click();
    const state = { v: 't', s: '0,0,y,x', c: 'blue to red,reversed',
      l: '-90,100', coast: 'off', z: '55,-60,295,60' };
    assert.deepEqual(hashOf(page), state);
    await page.reload();
    await drawn(page);
    await page.waitForTimeout(500);
    assert.deepEqual(hashOf(page), state);
    assert.equal(await choice(page, 'colours').inputValue(), 'blue to red');
    assert.ok(await page.getByLabel('reversed').isChecked());
    assert.ok(!await page.getByLabel('coastlines').isChecked());
    assert.ok((await bar(page)).includes('100'));
    assert.match(await look(page, 0.5, 0.001), /lat 60\u00b0N/);
    // the defaults are not in it
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByRole('button', { name: 'Fit' }).click();
    delete state.l;
    delete state.z;
    assert.deepEqual(hashOf(page), state);
    await quiet(page);
  });

  test('keeps the limits of an earlier step, and not of another variable',
    async () => {
      const page = await show('down.nc.nc3z');
      await drawn(page);
      await page.getByRole('button', { name: 'time: on' }).click();
      await drawn(page);
      await page.waitForFunction(() => location.hash.includes('l=-90,90'));
      await page.reload();
      await drawn(page);
      assert.equal(await page.getByLabel('to', { exact: true }).inputValue(),
        '90');
      await page.getByRole('button', { name: /^lat_bnds/ }).click();
      await page.getByRole('slider', { name: 'Values of lat_bnds' }).waitFor();
      assert.deepEqual(hashOf(page), { v: 'lat_bnds', s: 'x' });
      await quiet(page);
    });

  test('that is changed in place is taken', async () => {
    const page = await show('down.nc.nc3z', { hash: '#c=turbo' });
    await drawn(page);
    const colours = choice(page, 'colours');
    assert.equal(await colours.inputValue(), 'turbo');
    await page.evaluate(() => {
      location.hash = '#v=lat_bnds&c=greys';
    });
    await page.getByRole('slider', { name: 'Values of lat_bnds' }).waitFor();
    await page.goBack();
    await drawn(page);
    assert.equal(await colours.inputValue(), 'turbo');
    await quiet(page);
  });

  test('with other things in it does no harm', async () => {
    for (const wrong of ['l=1', 'l=a,b', 'l=,', 'z=1,2,3', 'z=5,5,5,5',
      'z=90,0,50,10', 'z=1e9,0,2e9,1', 'c=constructor', 'c=,,', 'coast=2']) {
      const page = await show('down.nc.nc3z', { hash: `#${wrong}` });
      await drawn(page);
      assert.ok((await bar(page)).includes('0'), wrong);
      await quiet(page);
    }
  });
});

describe('a point', () => {
  test('on land has a series without values', async () => {
    const page = await show('coads_climatology.cdf.nc3z',
      { hash: '#v=SST&at=0,70,30' });
    await drawn(page);
    const series = page.getByLabel('Series', { exact: true });
    await series.getByText('All values here are missing.').waitFor();
    await quiet(page);
  });

  test('that is clicked has its series below the map', async () => {
    const page = await show('coads_climatology.cdf.nc3z');
    await drawn(page);
    const box = await plot(page).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const series = page.getByLabel('Series', { exact: true });
    await series.getByTestId('value').waitFor();
    assert.ok(await plot(page).isVisible(), 'the map stays');
    const at = hashOf(page).at.split(',').map(Number);
    assert.ok(Math.abs(at[1] - 45) <= 1 && Math.abs(at[2] - 90) <= 1, at);
    assert.match(await page.getByTestId('series-plan').innerText(),
      /^12 values in \d+ blocks?, /);
    const slider = page.getByRole('slider', { name: 'Values of SST' });
    await slider.focus();
    await page.keyboard.press('Home');
    const bytes = run('nc3dump', '-B', '-v', `SST[0,${at[1]},${at[2]}]`, coads);
    const expected = Number(bytes.readFloatLE(0).toPrecision(7));
    const text = await slider.getAttribute('aria-valuetext');
    assert.ok(text.includes(`: ${expected} `), `${text}: ${expected}`);
    await compareShot(page, 'series');
    await quiet(page);
  });

  test('has the line of its series at the step of the map', async () => {
    const page = await show('down.nc.nc3z', { hash: '#v=t&s=2,0,y,x&at=0,0,5,0' });
    const value = page.getByTestId('value');
    await value.waitFor();
    assert.equal(await value.innerText(), '2001-02-28 12:00: 60 \u00b0C');
    const lineAt = async () =>
      Number(await page.locator('.line .cursor').getAttribute('x1'));
    const before = await lineAt();
    await page.getByRole('button', { name: 'time: on' }).click();
    await drawn(page);
    assert.equal(await value.innerText(), '2001-02-28 18:00: 70 \u00b0C');
    assert.ok(await lineAt() > before);
    // looking moves nothing; a click moves the map, where that stands at a step
    const line = page.locator('figure svg');
    const { width } = await line.boundingBox();
    const position = { x: 0.4 * width, y: 100 };
    await line.hover({ position });
    assert.equal(await value.innerText(), '2001-02-28 06:00: 50 \u00b0C');
    assert.equal(hashOf(page).s, '3,0,y,x');
    await line.click({ position });
    await drawn(page);
    assert.equal(hashOf(page).s, '1,0,y,x');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('s=3,0,y,x'));
    await choice(page, 'along').selectOption('lat');
    await page.getByText('40\u00b0N: 40').waitFor();
    await line.click({ position: { x: width - 20, y: 100 } });
    await page.waitForFunction(() => location.hash.includes('at=0,0,0,0'));
    await quiet(page);
  });

  test('by its degrees, and as CSV', async () => {
    const page = await show('down.nc.nc3z', { hash: '#v=t&at=0,0,0,0' });
    await page.getByLabel('lat', { exact: true }).fill('41');
    await page.getByLabel('lat', { exact: true }).press('Enter');
    await page.waitForFunction(() => location.hash.includes('at=0,0,5,0'));
    const slider = page.getByRole('slider', { name: 'Values of t' });
    await page.waitForFunction(() => document.querySelector(
      '[aria-label="Values of t"]')?.ariaValueText?.includes('40'));
    await slider.waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).last().click();
    assert.equal(
      fs.readFileSync(await (await download).path(), 'utf8'),
      `"time","level","lat","lon","t"\n${['00', '06', '12', '18'].map((h, i) =>
        `"2001-02-28 ${h}:00",1000,40,0,${40 + 10 * i}\n`).join('')}`);
    await quiet(page);
  });
});
