// Charts in a real browser with generated answers, because drawing is tested: spans, crosshair, files, failures, and removal without
// remains.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { build, preview } from 'vite';
import { openBrowser } from './browser.mjs';
import { aDoor, PATIENCE } from './door.mjs';

const root = resolve(import.meta.dirname, '../bench');
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
let server;
let browser;
let page;
let base;

before(async () => {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'profiles.html') } },
  });
  server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  browser = await openBrowser({ width: 1600, height: 1000 });
  page = browser.page;
  base = new URL('profiles.html', server.resolvedUrls.local[0]).href;
});

after(async () => {
  await browser?.close();
  await server?.close();
  rmSync(outDir, { recursive: true, force: true });
});

beforeEach(() => browser.errors.splice(0));

const rest = () =>
  page.waitForFunction(
    () =>
      document.querySelector('.chart-panel') &&
      [...document.querySelectorAll('.chart-panel')].every((panel) => panel.getAttribute('aria-busy') === 'false'),
    null,
    PATIENCE,
  );
const opened = async (query = 'screen=vi') => {
  await page.goto(`${base}?${query}`);
  await rest();
};
const span = () => page.getByTestId('chart-span').textContent();
/** Returns the requests for history that were sent during an action. */
const asked = async (done) => {
  const before = await page.evaluate(() => window.questions.length);
  await done();
  await page.waitForFunction((before) => window.questions.length > before, before, PATIENCE);
  await rest();
  const questions = await page.evaluate((before) => window.questions.slice(before), before);
  return questions
    .filter((question) => question.includes('/history/'))
    .map((question) => Object.fromEntries(new URL(question, base).searchParams));
};
const days = ({ from, to }) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
const first = () => page.locator('.chart-box').first();

test('a month is asked for first, at the width of the chart; a preset asks for its own span', async () => {
  await opened();
  const questions = (await page.evaluate(() => window.questions))
    .filter((question) => question.includes('/history/'))
    .map((question) => Object.fromEntries(new URL(question, base).searchParams));
  assert.deepEqual([...new Set(questions.map(({ measure }) => measure))], ['voltage', 'current', 'frequency']);
  for (const question of questions) {
    assert.equal(days(question), 31);
    assert.equal(Number(question.width) % 100, 0);
    assert.ok(Number(question.width) >= 900 && Number(question.width) <= 1_600, question.width);
  }
  const half = await asked(() => page.getByTestId('preset-6m').click());
  assert.equal(half.length, 3);
  assert.equal(days(half[0]), 184);
  assert.equal(await page.getByTestId('preset-6m').getAttribute('aria-pressed'), 'true');
});

test('a part that is dragged over is what all charts of the column show, and is asked for alone; a double click goes back', async () => {
  await opened();
  const month = await span();
  const box = await first().boundingBox();
  const questions = await asked(async () => {
    await page.mouse.move(box.x + 300, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 350, box.y + 80, { steps: 4 });
    await page.mouse.move(box.x + 400, box.y + 80, { steps: 4 });
    await page.mouse.up();
  });
  assert.equal(questions.length, 3);
  assert.ok(days(questions[0]) > 2 && days(questions[0]) < 4, String(days(questions[0])));
  assert.match(await page.locator('.chart-panel small').first().textContent(), /10-min mean/);
  await asked(() => page.mouse.dblclick(box.x + 300, box.y + 80));
  assert.equal(await span(), month);
});

test('with the keyboard alone: the crosshair, nearer, earlier, and back', async () => {
  await opened();
  const month = await span();
  await first().focus();
  await page.keyboard.press('ArrowLeft');
  const last = await page.getByTestId('chart-readout').textContent();
  await page.keyboard.press('ArrowLeft');
  const before = await page.getByTestId('chart-readout').textContent();
  assert.notEqual(before, last);
  assert.match(before, /R.*kV.*A.*Y.*kV.*A.*B.*kV.*A.*Hz/);
  assert.match(await page.locator('.chart-panel [role=status]').first().textContent(), /R .*kV/);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByTestId('chart-readout').count(), 0);
  assert.ok(days((await asked(() => page.keyboard.press('+')))[0]) < 16);
  const near = await span();
  await asked(() => page.keyboard.press('Shift+ArrowLeft'));
  assert.notEqual(await span(), near);
  await asked(() => page.keyboard.press('0'));
  assert.equal(await span(), month);
});

test('the wheel moves the page unless the chart is chosen, and then it zooms', async () => {
  await opened();
  const month = await span();
  const box = await first().boundingBox();
  await page.mouse.move(box.x + 400, box.y + 80);
  await page.mouse.wheel(0, -300);
  assert.equal(await span(), month);
  await first().focus();
  assert.ok(days((await asked(() => page.mouse.wheel(0, -300)))[0]) < 25);
});

test('one finger reads values, two fingers zoom', async () => {
  await opened();
  const month = await span();
  const box = await first().boundingBox();
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, ...at) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: at.map((x, id) => ({ x: box.x + x, y: box.y + 80, id })) });
  await touch('touchStart', 400);
  await page.getByTestId('chart-readout').waitFor(PATIENCE);
  assert.equal(await span(), month);
  await touch('touchStart', 400, 500);
  const questions = await asked(async () => {
    await touch('touchMove', 300, 600);
    await touch('touchEnd');
  });
  assert.ok(days(questions[0]) > 9 && days(questions[0]) < 12, String(days(questions[0])));
});

test('on paper the yellow phase is dark enough', async () => {
  await opened();
  const yellow = () =>
    page
      .locator('.chart-foot li', { hasText: 'Y' })
      .locator('i')
      .evaluate((line) => window.getComputedStyle(line).borderTopColor);
  assert.equal(await yellow(), 'rgb(255, 255, 0)');
  await page.evaluate(() => window.dispatchEvent(new window.Event('beforeprint')));
  assert.equal(await yellow(), 'rgb(184, 168, 0)');
  await page.evaluate(() => window.dispatchEvent(new window.Event('afterprint')));
  assert.equal(await yellow(), 'rgb(255, 255, 0)');
});

test('every file can be had, named with its chart and the time', async () => {
  await opened();
  const begins = { png: '\x89PNG', jpg: '\xff\xd8\xff', pdf: '%PDF-', svg: '<svg', csv: '\xef\xbb\xbfTime', xlsx: 'PK\x03\x04' };
  for (const [extension, beginning] of Object.entries(begins)) {
    await page.getByTestId('chart-export').first().click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId(`save-${extension}`).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`^F2-Autonagar-Voltage-profile_\\d{8}_\\d{6}\\.${extension}$`));
    const bytes = readFileSync(await download.path());
    assert.ok(bytes.toString('latin1').startsWith(beginning), extension);
    assert.ok(bytes.length > 10_000, `${extension} has ${bytes.length} bytes`);
    if (extension === 'svg') assert.doesNotMatch(bytes.toString(), /NaN|undefined/);
  }
  assert.deepEqual(browser.errors, []);
});

test('the data are a table of as many rows as there are, of which those in sight are drawn', async () => {
  await opened();
  await page.getByTestId('chart-export').first().click();
  await page.getByTestId('view-data').click();
  const table = page.locator('.chart-table table');
  const rows = Number(await table.getAttribute('aria-rowcount'));
  assert.ok(rows > 500, String(rows));
  assert.ok((await table.locator('tbody tr').count()) < 60);
  await page.locator('.chart-table').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
  await page.locator(`.chart-table tr[aria-rowindex="${rows}"]`).waitFor(PATIENCE);
});

test('loading, nothing there, failed at first and failed later are told apart', async () => {
  await page.goto(`${base}?screen=vi&slow=1`);
  await page.locator('.chart-waiting').first().waitFor(PATIENCE);
  await opened('screen=vi&empty=1');
  assert.deepEqual(await page.locator('.chart-said').allTextContents(), ['No data available', 'No data available', 'No data available']);
  await opened('screen=vi&fail=1');
  assert.deepEqual(await page.locator('.chart-said p').allTextContents(), [
    'Error loading data. The history is not available just now.',
    'The history is not available just now.',
    'The history is not available just now.',
  ]);
  assert.equal(await page.locator('.chart-box').count(), 0);
  await page.evaluate(() => window.failing(false));
  await page.locator('.chart-said button').first().click();
  await page.locator('.chart-box').first().waitFor(PATIENCE);
  await page.evaluate(() => window.failing(true));
  await page.getByTestId('preset-1w').click();
  await page.locator('.chart-panel .stale').first().waitFor(PATIENCE);
  assert.equal(await page.locator('.chart-box').count(), 1);
  assert.match(await page.locator('.chart-panel .stale').first().textContent(), /^Not up to date: Error loading data\. The history/);
});

test('permissible loading asks for the months of its span, and all there is begins with the first of it', async () => {
  await opened('screen=loading');
  const months = () =>
    page.evaluate(() =>
      window.questions.filter((question) => question.includes('permissible')).map((question) => question.split('/').at(-1)),
    );
  assert.match(await page.locator('.chart-panel small').first().textContent(), /^Used Life In Years: 0\.41/);
  await page.getByTestId('preset-1d').click();
  await rest();
  await page.getByTestId('preset-ytd').click();
  await page.waitForFunction(() => window.questions.some((question) => question.endsWith('/12')), null, PATIENCE);
  await page.getByTestId('preset-all').click();
  await page.waitForFunction(
    () => document.querySelector('[data-testid=chart-span]')?.textContent?.startsWith('21 Jun 2025'),
    null,
    PATIENCE,
  );
  // React's strict mode mounts everything twice, so the first request may be sent twice.
  assert.deepEqual([...new Set(await months())], ['1', '12', '0']);
});

test('axe finds nothing against WCAG A and AA in either theme', async () => {
  for (const screen of ['vi', 'power', 'energy', 'loading', 'readings']) {
    await page.goto(`${base}?screen=${screen}`);
    await page.waitForSelector('.chart-box, [data-testid=reading]', PATIENCE);
    assert.deepEqual(await aDoor(page, base).findings(screen), []);
  }
});

test('charts that came and went leave nothing behind', async () => {
  await opened();
  const cdp = await page.context().newCDPSession(page);
  const count = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
    return { nodes, jsEventListeners };
  };
  const again = async () => {
    await page.evaluate(() => window.show(false));
    await page.waitForFunction(() => !document.querySelector('.chart-box'));
    await page.evaluate(() => window.show(true));
    await page.waitForFunction(() => document.querySelectorAll('.chart-box').length === 3, null, PATIENCE);
    await rest();
  };
  for (let round = 0; round < 3; round += 1) await again();
  const before = await count();
  for (let round = 0; round < 12; round += 1) await again();
  const after = await count();
  assert.ok(after.nodes <= before.nodes * 1.05, JSON.stringify({ before, after }));
  assert.ok(after.jsEventListeners <= before.jsEventListeners + 5, JSON.stringify({ before, after }));
});
