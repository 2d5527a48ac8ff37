/* SPDX-License-Identifier: MIT */
/** The page: what people see, by mouse, by keyboard, by screen reader. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { classicRecords } from './classic.mjs';
import {
  barriers, begin, coads, compareShot, data, drawn, end, quiet, running,
  show, tab,
} from './pages.mjs';
import {
  bin, built, ferret, here, newPage, pack, run,
} from './setup.mjs';

let server;
let browser;

before(async () => {
  await begin();
  ({ server, browser } = running);
});

after(end);

describe('what is fetched until the first map stands', () => {
  test('levitus_climatology: 5 requests, 200 kB', async () => {
    server.take('levitus_climatology.cdf.nc3z');
    const page = await show('levitus_climatology.cdf.nc3z');
    await drawn(page);
    const { requests, bytes } = server.take('levitus_climatology.cdf.nc3z');
    assert.ok(requests <= 5, `${requests} requests`);
    assert.ok(bytes <= 200_000, `${bytes} bytes`);
    await quiet(page);
  });

  test('etopo5, whole, with 30 ms for each request: 12 requests', async () => {
    server.take('etopo5.cdf.nc3z');
    const page = await show('etopo5.cdf.nc3z', { mode: '/delay=30' });
    await drawn(page);
    const { requests } = server.take('etopo5.cdf.nc3z');
    assert.ok(requests <= 12, `${requests} requests`);
    await quiet(page);
  });

  test('the page itself: 330 kB in gzip', () => {
    const html = fs.readFileSync(path.join(built, 'viewer.html'));
    const nbytes = gzipSync(html, { level: 9 }).length;
    assert.ok(nbytes <= 330_000, `${nbytes} bytes`);
  });

  test('the licences of its parts are in the page, and beside it', () => {
    const read = (name) => fs.readFileSync(path.join(built, name), 'utf8');
    const text = read('licences.txt');
    for (const part of ['nc3z', 'Zstandard', 'libdeflate', 'bzip2', 'musl',
      'react', 'd3-scale-chromatic']) {
      assert.match(text, new RegExp(`^${part}\\b.* \\(`, 'm'));
    }
    assert.ok(read('viewer.html').includes(text));
  });

  test('nothing from elsewhere, and nothing is sent', async () => {
    const page = await newPage(browser);
    const seen = [];
    page.on('request', (r) => seen.push([r.method(), new URL(r.url())]));
    await page.goto(`${server.url}/page/viewer.html?url=/data/` +
      'coads_climatology.cdf.nc3z');
    await drawn(page);
    for (const name of ['Header', 'Storage', 'Check']) {
      await tab(page, name).click();
    }
    const { host } = new URL(server.url);
    assert.ok(seen.length > 3);
    for (const [method, url] of seen) {
      assert.ok(method === 'GET' || method === 'HEAD', method);
      assert.ok(/^(blob|data):$/.test(url.protocol) || url.host === host,
        String(url));
    }
    await quiet(page);
  });

  test('the policy forbids scripts in the page and code from text', async () => {
    const page = await show('coads_climatology.cdf.nc3z');
    await drawn(page);
    const got = await page.evaluate(() => new Promise((resolve) => {
      globalThis.ran = false;
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.head.append(script);
      // later: what the debugger calls itself is let through
      setTimeout(() => {
        let code = 'forbidden';
        try {
          code = new Function('return 1 + 1')();
        } catch { /* as it should be */ }
        resolve([globalThis.ran, code]);
      });
    }));
    assert.deepEqual(got, [false, 'forbidden']);
    await page.context().close();
  });
});

describe('panes', () => {
  test('Header: what nc3dump -h prints', async () => {
    const page = await show('coads_climatology.cdf.nc3z', { hash: '#p=header' });
    const pre = page.getByTestId('cdl');
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=cdl]')?.textContent);
    assert.equal(await pre.textContent(), run('nc3dump', '-h', coads).toString());
    await compareShot(page, 'header');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save' }).click();
    const saved = await (await download).path();
    assert.deepEqual(fs.readFileSync(saved), run('nc3dump', '-h', coads));
    await quiet(page);
  });

  test('Storage: the bytes of each variable and its blocks', async () => {
    const page = await show('coads_climatology.cdf.nc3z',
      { hash: '#p=storage' });
    await page.getByTestId('storage').waitFor();
    const json = JSON.parse(run('nc3dump', '--json', '--blocks', coads));
    const sst = json.variables.find((v) => v.name === 'SST').storage;
    const row = page.getByRole('row').filter({ has:
      page.getByRole('button', { name: 'SST', exact: true }) });
    const stored = sst.block_list.reduce((n, b) => n + b.stored_bytes, 0);
    assert.match(await row.innerText(), new RegExp(
      `${(stored / 1000).toPrecision(3)} kB`));
    await page.getByRole('button', { name: 'SST', exact: true }).click();
    const strip = page.getByRole('slider', { name: 'Blocks of SST' });
    await strip.focus();
    await page.keyboard.press('End');
    const last = sst.block_list.at(-1);
    assert.ok((await strip.getAttribute('aria-valuetext'))
      .includes(`at byte ${last.offset.toLocaleString('en')}`));
    await page.getByRole('button', { name: 'How is it coded?' }).click();
    await page.getByText(last.coding, { exact: false }).waitFor();
    await compareShot(page, 'storage');
    await quiet(page);
  });

  test('Storage: blocks begin anew with each record', async () => {
    const file = path.join(data, 'records.nc');
    fs.writeFileSync(file, classicRecords(5, 721, 1440));
    const archive = pack(file, path.join(data, 'records.nc3z'), '-1');
    const { block_list: blocks } = JSON.parse(
      run('nc3dump', '--json', '--blocks', archive)).variables[0].storage;
    const page = await show('records.nc3z', { hash: '#p=storage' });
    await page.getByRole('button', { name: 'v', exact: true }).click();
    const strip = page.getByRole('slider', { name: 'Blocks of v' });
    await strip.focus();
    for (const [i, block] of blocks.entries()) {
      const text = await strip.getAttribute('aria-valuetext');
      assert.ok(text.startsWith(`block ${i + 1} of ${blocks.length}: `) &&
        text.includes(` of ${(block.raw_bytes / 1000).toPrecision(3)} kB,`),
        `${text}, not ${block.raw_bytes} bytes`);
      await page.keyboard.press('ArrowRight');
    }
    assert.ok(new Set(blocks.map((b) => b.raw_bytes)).size > 1);
    await quiet(page);
  });

  test('Check: quick and full, with the SHA-256', async () => {
    const page = await show('coads_climatology.cdf.nc3z', { hash: '#p=check' });
    const sha256 = createHash('sha256')
      .update(fs.readFileSync(ferret('coads_climatology.cdf'))).digest('hex');
    for (const name of ['Quick check', 'Full check']) {
      await page.getByRole('button', { name }).click();
      await page.getByText(/^Whole: /).waitFor();
      assert.match(await page.getByLabel('SHA-256').innerText(),
        new RegExp(`^${sha256}  coads_climatology.cdf$`));
    }
    await compareShot(page, 'check');
    await quiet(page);
  });

  test('Check: damage names block and variable', async () => {
    const bad = path.join(data, 'bad.nc3z');
    const { variables } = JSON.parse(run('nc3dump', '--json', '--blocks',
      coads));
    const block = variables.find((v) => v.name === 'UWND').storage.block_list[2];
    const bytes = fs.readFileSync(coads);
    bytes[block.offset + block.stored_bytes - 9] ^= 1;
    fs.writeFileSync(bad, bytes);
    const page = await show('bad.nc3z', { hash: '#p=check' });
    for (const name of ['Quick check', 'Full check']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('alert').getByText(/^Damaged: block 2 of UWND\./)
        .waitFor();
    }
    await tab(page, 'Data').click();
    await drawn(page);
    await quiet(page);
    const other = await show('bad.nc3z', { hash: '#v=UWND&s=11,y,x' });
    const alert = other.getByRole('alert').first();
    await alert.waitFor();
    assert.match(await alert.innerText(),
      /^variable UWND: payload .*CRC-32 differs.* nc3salvage /);
    assert.equal(await alert.evaluate((e) => getComputedStyle(e).color),
      await other.evaluate(() => {
        document.body.style.color = 'var(--bad)';
        return getComputedStyle(document.body).color;
      }));
    await other.context().close();
  });
});

describe('files', () => {
  const offline = { offline: true };
  const address = `file://${path.join(built, 'viewer.html')}`;

  test('one that is opened, from file://, without a network', async () => {
    const page = await newPage(browser, offline);
    await page.goto(address);
    await page.setInputFiles('input[type=file]', coads);
    await drawn(page);
    await page.getByText(/SEA SURFACE TEMPERATURE/).first().waitFor();
    await tab(page, 'Check').click();
    await page.getByRole('button', { name: 'Full check' }).click();
    await page.getByText(/^Whole: /).waitFor();
    // another one, in its place
    await page.setInputFiles('input[type=file]',
      path.join(data, 'levitus_climatology.cdf.nc3z'));
    await tab(page, 'Data').click();
    await page.getByRole('slider', { name: 'ZAXLEVITR' }).waitFor();
    await quiet(page);
  });

  test('one that is dropped', async () => {
    const page = await newPage(browser, offline);
    await page.goto(address);
    const content = fs.readFileSync(ferret('coads_climatology.cdf'))
      .toString('base64');
    await page.evaluate(async (text) => {
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'dropped.nc'));
      window.dispatchEvent(new DragEvent('drop',
        { dataTransfer: transfer, cancelable: true }));
    }, content);
    await drawn(page);
    await quiet(page);
  });

  test('one that is none; an address of another kind', async () => {
    const page = await newPage(browser, offline);
    await page.goto(address);
    await page.setInputFiles('input[type=file]',
      path.join(here, 'setup.mjs'));
    await page.getByRole('alert').waitFor();
    await page.goto(`${address}?url=javascript:alert(1)`);
    await page.getByText(/only http and https/).waitFor();
    await page.goto(`${address}?list=javascript:alert(1)`);
    await page.setInputFiles('input[type=file]', coads);
    await drawn(page);
    assert.equal(await page.getByRole('link').count(), 0);
    await page.goto(`${address}?url=x.nc3z`);
    await page.getByText(/does not let pages read files/).waitFor();
    await page.context().close();
  });

  test('errors of the network are said', async () => {
    for (const [mode, words] of [['/no-ranges', /does not support range requests/],
      ['/none', /404/]]) {
      const page = await show('etopo5.cdf.nc3z', { mode });
      await page.getByRole('alert').getByText(words).waitFor();
      await page.context().close();
    }
  });
});

test('nc3view lists a directory, and shows what is chosen', async () => {
  const child = spawn(path.join(bin, 'nc3view'), ['--no-browser', '--page',
    path.join(built, 'viewer.html'), data]);
  try {
    const [line] = await once(child.stdout, 'data');
    const page = await newPage(browser);
    await page.goto(String(line).trim());
    assert.deepEqual(await barriers(page), []);
    await page.getByRole('searchbox').fill('COADS');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'all of them' }).waitFor();
    assert.equal(await page.getByRole('link').count(), 2);
    await page.getByRole('link', { name: 'coads_climatology.cdf.nc3z' })
      .click();
    await drawn(page);
    await page.getByRole('link', { name: /List$/ }).click();
    await page.getByRole('link', { name: 'etopo5.cdf.nc3z' }).waitFor();
    await page.goBack();
    await drawn(page);
    await page.getByText(/SEA SURFACE TEMPERATURE/).first().waitFor();
    await quiet(page);
  } finally {
    child.kill();
    await once(child, 'close');
  }
});

describe('for everybody', () => {
  const PANES = ['Header', 'Storage', 'Check'];

  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, ${colorScheme}`, async () => {
      const page = await show('coads_climatology.cdf.nc3z', { colorScheme });
      await drawn(page);
      const found = await barriers(page);
      for (const name of PANES) {
        await tab(page, name).click();
        await page.waitForTimeout(400);
        found.push(...await barriers(page));
      }
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }

  test('tabs by keyboard', async () => {
    const page = await show('coads_climatology.cdf.nc3z');
    await drawn(page);
    await tab(page, 'Data').focus();
    for (const name of [...PANES, 'Data']) {
      await page.keyboard.press('ArrowRight');
      assert.equal(await tab(page, name).getAttribute('aria-selected'), 'true');
      await page.getByRole('tabpanel', { name }).waitFor();
    }
    await quiet(page);
  });

  test('dark where the system is dark', async () => {
    const page = await show('coads_climatology.cdf.nc3z',
      { colorScheme: 'dark', hash: '#p=header' });
    await page.getByTestId('cdl').waitFor();
    const color = await page.evaluate(() => getComputedStyle(
      document.getElementById('root')).backgroundColor);
    assert.ok(/rgb\((\d+)/.exec(color)[1] < 60, color);
    await quiet(page);
  });

  test('the welcome page: axe, an address by hand', async () => {
    const page = await newPage(browser);
    await page.goto(`${server.url}/page/viewer.html`);
    assert.deepEqual(await barriers(page), []);
    await page.getByRole('textbox').fill(
      `${server.url}/data/coads_climatology.cdf.nc3z`);
    await page.keyboard.press('Enter');
    await drawn(page);
    await page.context().close();
  });
});
