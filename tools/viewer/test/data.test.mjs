/* SPDX-License-Identifier: MIT */
/** Variables as people see them: maps, lines, tables, series. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { classicFile, latitudes } from './classic.mjs';
import {
  bar, begin, choice, coads, compareShot, data, drawn, end, hashOf, look, make,
  plot, quiet, reading, running, show,
} from './pages.mjs';
import { classicData, pack, run } from './setup.mjs';

before(async () => {
  await begin();
  for (const [name, isDown] of [['down', true], ['up', false]]) {
    make(name, latitudes({ isDown }));
  }
});

after(end);

describe('the map', () => {
  test('has dates, which the slider changes', async () => {
    const page = await show('coads_climatology.cdf.nc3z');
    await drawn(page);
    const dates = [...run('nc3dump', '-t', '-v', 'TIME', coads).toString()
      .split('data:')[1].matchAll(/"([^"]*)"/g)].map((m) => m[1]);
    const slider = page.getByRole('slider', { name: 'TIME' });
    assert.equal(await slider.getAttribute('aria-valuetext'),
      `${dates[0]}:00`);
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => location.hash.includes('s=1,y,x'));
    const second = await slider.getAttribute('aria-valuetext');
    // 16:29:5.999998 by arithmetic in hours
    assert.equal(second, `${dates[1].slice(0, 16)}:06`);
    await drawn(page);
    await quiet(page);
  });

  test('has dates to the second, finer only where steps are', async () => {
    const texts = async (name, units, values, calendar = 'standard') => {
      make(name, classicFile({ time: values.length, x: 2 }, [
        { name: 'time', dims: ['time'], attributes: { units, calendar },
          values: (i) => values[i] },
        { name: 'v', dims: ['time', 'x'], values: (i) => i }]));
      const page = await show(`${name}.nc.nc3z`, { hash: '#s=0,x' });
      const slider = page.getByRole('slider', { name: 'time' });
      const all = [];
      for (const i of values.keys()) {
        await slider.fill(String(i));
        all.push(await slider.getAttribute('aria-valuetext'));
      }
      await quiet(page);
      return all;
    };
    assert.deepEqual(await texts('days', 'days since 1850-01-01',
      [0, 1, 30000.463]),
    ['1850-01-01 00:00', '1850-01-02 00:00', '1932-02-21 11:06:43']);
    assert.deepEqual(await texts('quarters', 'seconds since 2000-12-31 23:59:59',
      [0, 0.25, 0.5, 1]), ['2000-12-31 23:59:59.000',
      '2000-12-31 23:59:59.250', '2000-12-31 23:59:59.500',
      '2001-01-01 00:00:00.000']);
    assert.deepEqual(await texts('thirty', 'days since 0000-01-01',
      [15, 345], 'THIRTY_DAY_MONTHS'), ['0000-01-16', '0000-12-16']);
    assert.deepEqual(await texts('lunar', 'days since 2000-01-01', [15, 345],
      'lunar'), ['15 days since 2000-01-01', '345 days since 2000-01-01']);
  });

  test('is what the address says', async () => {
    const page = await show('coads_climatology.cdf.nc3z',
      { hash: '#v=AIRT&s=7,y,x' });
    await drawn(page);
    await page.getByRole('heading', { name: 'AIR TEMPERATURE' }).waitFor();
    assert.match(await page.getByRole('slider', { name: 'TIME' })
      .getAttribute('aria-valuetext'), /-08-/);
    assert.deepEqual(hashOf(page), { v: 'AIRT', s: '7,y,x' });
    await quiet(page);
  });

  test('a wrong address does no harm', async () => {
    for (const slice of ['9,9', 'x,x,y', '12,y,x', '0,y,0', '-1,y,x']) {
      const page = await show('coads_climatology.cdf.nc3z',
        { hash: `#v=nothing&s=${slice}&p=none&at=-1,x` });
      await drawn(page);
      await page.getByRole('heading', { name: 'SEA SURFACE TEMPERATURE' })
        .waitFor();
      await quiet(page);
    }
  });

  test('looks as it did', async () => {
    const page = await show('coads_climatology.cdf.nc3z');
    await drawn(page);
    await compareShot(page, 'map');
    await quiet(page);
  });

  test('has the north up, whatever the order of latitudes', async () => {
    for (const name of ['up', 'down']) {
      const page = await show(`${name}.nc.nc3z`);
      await drawn(page);
      assert.match(await look(page, 0.5, 0.02), /\b90\b.*\n.*\n.*90\u00b0N/);
      assert.match(await look(page, 0.5, 0.98), /\u221290\b.*\n.*\n.*90\u00b0S/);
      await quiet(page);
    }
  });

  test('is as wide as its degrees are', async () => {
    const page = await show('coads_climatology.cdf.nc3z');
    await drawn(page);
    const { width, height } = await plot(page).boundingBox();
    assert.ok(Math.abs(width / height - 2) < 0.05, `${width} x ${height}`);
    await quiet(page);
  });

  test('says units, in plain numbers that differ', async () => {
    for (const name of ['coads_climatology.cdf', 'etopo5.cdf', 'down.nc']) {
      const page = await show(`${name}.nc3z`);
      await drawn(page);
      const texts = await bar(page);
      const numbers = texts.slice(0, -1);
      assert.ok(numbers.length >= 3);
      assert.equal(new Set(numbers).size, numbers.length, String(numbers));
      assert.ok(numbers.every((text) => /^\u2212?[\d.]+$/.test(text)));
      assert.match(texts.at(-1), /\((\u00b0C|METERS|M)\)$/i);
      await quiet(page);
    }
  });

  test('runs along a dimension until it is stopped', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    await page.evaluate(() => {
      globalThis.seen = new Set();
      setInterval(() => globalThis.seen.add(
        new URLSearchParams(location.hash.slice(1)).get('s')), 20);
    });
    await page.getByRole('button', { name: 'Play along time' }).click();
    await page.waitForFunction(() => globalThis.seen.size >= 4);
    await page.getByRole('button', { name: 'Stop along time' }).click();
    const seen = await page.evaluate(() => [...globalThis.seen].sort());
    assert.deepEqual(seen, [0, 1, 2, 3].map((t) => `${t},0,y,x`));
    await drawn(page);
    const at = page.url();
    await page.waitForTimeout(600);
    assert.equal(page.url(), at);
    await quiet(page);
  });

  test('is looked at closer, and whole again', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    const before = await look(page, 0.9, 0.9);
    await page.mouse.wheel(0, -600);
    assert.equal(await look(page, 0.9, 0.9), before, 'the same under it');
    const corner = await look(page, 0.2, 0.02);
    assert.doesNotMatch(corner, /90\u00b0N/);
    const box = await plot(page).boundingBox();
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    await page.mouse.up();
    assert.notEqual(await look(page, 0.2, 0.02), corner, 'moved');
    assert.equal(await page.getByLabel('Series', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'All' }).click();
    assert.match(await look(page, 0.2, 0.02), /90\u00b0N/);
    await quiet(page);
  });

  test('is read by keyboard', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    await plot(page).focus();
    await page.keyboard.press('ArrowUp');
    const first = await reading(page);
    await page.keyboard.press('ArrowUp');
    const degrees = (text) => Number(/([\d.]+)\u00b0N/.exec(text)[1]);
    assert.equal(degrees(await reading(page)) - degrees(first), 10);
    await page.keyboard.press('Enter');
    await page.getByRole('slider', { name: 'Values of t' }).waitFor();
    await quiet(page);
  });
});

/** Dark pixels between degrees, of a map of the whole globe from 0°E on. */
function darkIn(page, [west, east], [south, north]) {
  return page.locator('.plot canvas').evaluate((canvas, [x0, x1, y0, y1]) => {
    const { width, height } = canvas;
    const { data: bytes } = canvas.getContext('2d').getImageData(
      Math.round(x0 * width), Math.round(y0 * height),
      Math.round((x1 - x0) * width), Math.round((y1 - y0) * height));
    let n = 0;
    for (let i = 0; i < bytes.length; i += 4) {
      n += bytes[i] + bytes[i + 1] + bytes[i + 2] < 220;
    }
    return n;
  }, [(west + 5) / 360, (east + 5) / 360, (90 - north) / 180,
    (90 - south) / 180]);
}

describe('coastlines', () => {
  test('lie where they are, unless they are not wanted', async () => {
    make('even', latitudes({ isDown: false, nlat: 19, spread: 0, even: 5 }));
    const taken = () => running.server.take('coast.js').requests;
    taken();
    const page = await show('even.nc.nc3z', { hash: '#coast=off' });
    await drawn(page);
    assert.equal(taken(), 0);
    const places = { Iberia: [[346, 354], [36, 44]],
      Australia: [[110, 155], [-40, -10]], Siberia: [[90, 110], [56, 68]],
      Sahara: [[0, 25], [16, 29]], Pacific: [[230, 250], [-20, 10]] };
    const look = async () => Promise.all(Object.values(places).map(
      ([lon, lat]) => darkIn(page, lon, lat)));
    assert.deepEqual(await look(), [0, 0, 0, 0, 0]);
    await page.getByLabel('coastlines').check();
    assert.equal(hashOf(page).coast, undefined);
    await page.waitForFunction(() => globalThis.nc3zCoast);
    await page.waitForTimeout(500);
    const [iberia, australia, ...inland] = await look();
    assert.ok(iberia > 5 && australia > 50, `${iberia}, ${australia}`);
    assert.deepEqual(inland, [0, 0, 0]);
    assert.equal(taken(), 1);
    // not where there are no degrees
    await choice(page, 'up').selectOption('level');
    await drawn(page);
    assert.equal(await page.getByLabel('coastlines').count(), 0);
    await quiet(page);
  });
});

describe('what is chosen', () => {
  test('a field first, not an axis, bounds or text', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    await page.getByRole('heading', { name: 'temperature' }).waitFor();
    await quiet(page);
  });

  test('the largest', async () => {
    const field = (name, n) => ({ name, dims: [n, 'x'], values: (i) => i });
    make('largest', classicFile({ few: 3, many: 30, x: 5 }, [
      field('small', 'few'), field('large', 'many'),
      { ...field('large_bnds', 'many') },
    ]));
    const page = await show('largest.nc.nc3z');
    await drawn(page);
    await page.getByRole('heading', { name: 'large', exact: true }).waitFor();
    await quiet(page);
  });

  test('dimensions by their names, all of four to be seen', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    for (const label of ['across', 'up']) {
      const options = await choice(page, label)
        .locator('option').allInnerTexts();
      assert.deepEqual(options, ['time', 'level', 'lat', 'lon']);
    }
    assert.equal(await page.getByRole('slider', { name: 'level' })
      .getAttribute('aria-valuetext'), '1000 hPa');
    const text = await page.getByTestId('shown').innerText();
    assert.doesNotMatch(text, /\bD[0-3]\b|\bNX/);
    // an axis up whose values grow downwards
    await choice(page, 'up').selectOption('level');
    await drawn(page);
    assert.match(await look(page, 0.5, 0.02), /level 200 hPa/);
    assert.match(await look(page, 0.5, 0.98), /level 1000 hPa/);
    await page.getByRole('slider', { name: 'lat' }).waitFor();
    for (const control of await page.locator('.shown :is(select, input)')
      .all()) {
      const box = await control.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 1200, 'cut off');
    }
    await quiet(page);
  });

  test('another variable, by a word; time stays where it was', async () => {
    const many = Array.from({ length: 12 }, (_, i) => ({ name: `field${i}`,
      dims: ['t', 'x'], values: (k) => k,
      attributes: { long_name: i === 7 ? 'Snow depth' : 'something' } }));
    make('many', classicFile({ t: 5, x: 4 }, many));
    const page = await show('many.nc.nc3z');
    await drawn(page);
    await page.getByLabel('Search variables').fill('snow');
    await page.getByRole('navigation', { name: 'Variables' })
      .getByRole('button', { name: /^field/ }).click();
    await page.getByRole('heading', { name: 'Snow depth' }).waitFor();
    await quiet(page);
    const other = await show('coads_climatology.cdf.nc3z',
      { hash: '#v=SST&s=5,y,x' });
    await drawn(other);
    await other.getByRole('button', { name: /^UWND/ }).click();
    await drawn(other);
    assert.deepEqual(hashOf(other), { v: 'UWND', s: '5,y,x' });
    await quiet(other);
  });

  test('as a line, as a table', async () => {
    const page = await show('down.nc.nc3z');
    await drawn(page);
    await choice(page, 'as').selectOption('line');
    const slider = page.getByRole('slider', { name: 'Values of t' });
    await slider.focus();
    await page.keyboard.press('End');
    assert.equal(await slider.getAttribute('aria-valuetext'),
      '10\u00b0W: 0 \u00b0C');
    await choice(page, 'as').selectOption('table');
    await page.getByTestId('numbers').waitFor();
    await choice(page, 'as').selectOption('map');
    await drawn(page);
    await choice(page, 'as').selectOption('table');
    const rows = page.getByTestId('numbers').locator('tbody tr');
    assert.equal(await rows.count(), 19);
    assert.match(await rows.nth(1).innerText(), /^80\u00b0N\s+80\s/);
    await quiet(page);
  });

  test('whole numbers have all digits', async () => {
    const name = 'cdf5-int64-times.nc';
    pack(path.join(classicData, name), path.join(data, `${name}.nc3z`));
    const page = await show(`${name}.nc3z`, { hash: '#v=time' });
    await drawn(page);
    const bytes = run('nc3dump', '-B', '-v', 'time',
      path.join(data, `${name}.nc3z`));
    const all = Array.from({ length: bytes.length / 8 }, (_, i) =>
      Number(bytes.readBigInt64LE(8 * i)));
    const [first] = all;
    await page.getByText(`${Math.min(...all)} to ${Math.max(...all)}`).waitFor();
    const line = page.getByRole('slider', { name: 'Values of time' });
    const texts = await page.locator('figure .axis').first().locator('text')
      .allTextContents();
    assert.ok(texts.length > 3 && new Set(texts).size === texts.length,
      String(texts));
    assert.match(await line.getAttribute('aria-valuetext'),
      new RegExp(`: ${first}`));
    await choice(page, 'as').selectOption('table');
    await page.getByRole('cell', { name: String(first) }).waitFor();
    await quiet(page);
  });

  test('coordinates that are all missing count as none', async () => {
    make('unplaced', classicFile({ z: 12, x: 40 }, [
      { name: 'z', dims: ['z'], attributes: { _FillValue: -9, units: 'm' },
        values: () => -9 },
      { name: 'v', dims: ['z', 'x'], values: (i) => i }]));
    const page = await show('unplaced.nc.nc3z', { hash: '#v=v' });
    await drawn(page);
    const texts = await page.locator('svg .axis').nth(1).locator('text')
      .allTextContents();
    assert.ok(texts.includes('2') && texts.includes('z') &&
      !texts.some((text) => text.includes('missing')), String(texts));
    await quiet(page);
  });

  test('the range is said to be that of the values drawn', async () => {
    make('long', classicFile({ y: 2, x: 5001 }, [{ name: 'v', dims: ['y', 'x'],
      values: (i) => i === 1 ? 999 : i % 7 }]));
    const page = await show('long.nc.nc3z', { hash: '#v=v' });
    await drawn(page);
    await page.getByText('Of the values drawn (1 of 2): 0 to 6').waitFor();
    await quiet(page);
  });

  test('ticks of a series that hardly changes differ', async () => {
    make('steady', classicFile({ t: 9 }, [{ name: 'v', dims: ['t'],
      values: (i) => 244 + i / 1000 }]));
    const page = await show('steady.nc.nc3z');
    await drawn(page);
    const texts = await page.locator('figure .axis').first().locator('text')
      .allTextContents();
    assert.ok(texts.length > 3 && new Set(texts).size === texts.length,
      String(texts));
    await quiet(page);
  });
});

describe('small screens and dark ones', () => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true,
    isMobile: true };

  test('390 pixels: the map is as wide, nothing is cut off', async () => {
    const page = await show('down.nc.nc3z', phone);
    await drawn(page);
    const box = await plot(page).boundingBox();
    assert.ok(box.width >= 290, `${box.width} pixels`);
    assert.ok(box.y + box.height < 800, 'on the first screen');
    assert.ok(await page.evaluate(() =>
      document.documentElement.scrollWidth <= innerWidth &&
      [...document.querySelectorAll('.data, .top')].every((e) =>
        e.scrollWidth <= e.clientWidth)), 'it scrolls sideways');
    await page.getByRole('button', { name: /^t / }).tap();
    await page.getByRole('button', { name: /^lat_bnds/ }).tap();
    await page.getByRole('slider', { name: 'Values of lat_bnds' }).waitFor();
    await compareShot(await show('coads_climatology.cdf.nc3z', phone), 'phone');
    await quiet(page);
  });

  test('what is read is inside of the map, at all its edges', async () => {
    for (const viewport of [{ width: 1200, height: 720 },
      { width: 390, height: 800 }]) {
      const page = await show('coads_climatology.cdf.nc3z', { viewport });
      await drawn(page);
      const map = await plot(page).boundingBox();
      for (const [x, y] of [[0.01, 0.01], [0.99, 0.01], [0.49, 0.5],
        [0.51, 0.49], [0.01, 0.99], [0.99, 0.99]]) {
        await look(page, x, y);
        const box = await page.getByTestId('reading').boundingBox();
        assert.ok(box.x >= map.x && box.y >= map.y &&
          box.x + box.width <= map.x + map.width &&
          box.y + box.height <= map.y + map.height, `${x}, ${y}`);
      }
      await quiet(page);
    }
  });

  test('dark: the same colours on another ground', async () => {
    const fills = [];
    for (const colorScheme of ['light', 'dark']) {
      const page = await show('coads_climatology.cdf.nc3z', { colorScheme });
      await drawn(page);
      fills.push(await page.getByTestId('bar').locator('rect').evaluateAll(
        (list) => list.map((rect) => rect.getAttribute('fill'))));
      assert.equal(await page.evaluate(() => [...document
        .querySelectorAll('*')].some((e) =>
        getComputedStyle(e).filter !== 'none')), false);
      if (colorScheme === 'dark') {
        await compareShot(page, 'dark');
      }
      await quiet(page);
    }
    assert.deepEqual(fills[0], fills[1]);
  });
});
