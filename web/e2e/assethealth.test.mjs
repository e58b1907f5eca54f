// Asset health in a real browser with the demo's data: nothing is loaded before substation and year are selected, all views show the same
// selection and the same filtered sections, and accessibility.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let base;
let door;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  door = aDoor(browser.page, base);
  await door.signedIn('admin');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const the = (testId) => browser.page.getByTestId(testId);
const open = async (query = '') => {
  await browser.page.goto(`${base}/assethealth?${query}`);
  await the('section-row').first().waitFor(PATIENCE);
};
/** Number of visible sections, and of all sections. */
const shown = async () => (await the('shown-count').textContent()).match(/\d+/g).map(Number);
/** Waits until this number of sections is visible. */
const until = (count) =>
  browser.page.waitForFunction((wanted) => document.querySelector('[data-testid=shown-count]')?.textContent.startsWith(`${wanted} of `), count, PATIENCE);
const settled = () =>
  browser.page.waitForFunction(() => [...document.querySelectorAll('.chart-panel')].every((panel) => panel.getAttribute('aria-busy') === 'false'), null, PATIENCE);

/** For each canvas, whether it has pixels in the colour of the selection. */
const redIn = (selector) =>
  browser.page.evaluate((where) => {
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = window.getComputedStyle(document.documentElement).getPropertyValue('--chosen').trim();
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    return [...document.querySelectorAll(where)].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) return true;
      return false;
    });
  }, selector);
const untilRed = async (selector, expected) => {
  for (const deadline = Date.now() + PATIENCE.timeout; ; ) {
    const found = await redIn(selector);
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    assert.ok(Date.now() < deadline, `${selector}: ${JSON.stringify(found)} and not ${JSON.stringify(expected)}`);
    await browser.page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
  }
};
/** The address of the first substation with sections that are not modelled, in its newest year. */
async function unmodelledPlace() {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const ask = (path) =>
    fetch(`${base}/api/assethealth/${path}`, { headers: { Authorization: `Bearer ${me.token}` } })
      .then((answer) => answer.json())
      .then(({ result }) => result);
  for (const { assetPointId, years } of (await ask('cablehealthsubstations')).substations) {
    const year = Math.max(...years);
    if ((await ask(`cablehealthdatabyassetpoint/${assetPointId}/${year}`)).notModelled > 0) return `substation=${assetPointId}&year=${year}`;
  }
  return assert.fail('no substation of the demo has a section without a model');
}
const HEATS = '[data-testid=heat-map] canvas';
const chosenRows = () => browser.page.locator('[data-testid=section-row][aria-selected=true]').evaluateAll((rows) => rows.map((row) => row.dataset.key));

test('it begins with the utility’s year, loads nothing without one, and refresh brings it back', async () => {
  await browser.page.goto(`${base}/dashboard`);
  await the('rail-assethealth').click();
  await browser.page.getByRole('heading', { name: 'Asset Health Monitoring' }).waitFor(PATIENCE);
  await the('section-row').first().waitFor(PATIENCE);
  assert.deepEqual(
    await the('health-year').locator('option').allTextContents(),
    ['-- Select --', ...Array.from({ length: 9 }, (_, at) => String(2018 - at))],
  );
  assert.equal(await the('health-year').inputValue(), '2018');
  const asked = [];
  browser.page.on('request', (request) => request.url().includes('cablehealthdata') && asked.push(request.url()));
  await the('health-year').selectOption('');
  await the('health-unset').waitFor(PATIENCE);
  assert.deepEqual(asked, []);
  await the('health-refresh').click();
  await the('section-row').first().waitFor(PATIENCE);
  assert.match(asked.at(-1), /\/2018$/);
  browser.page.removeAllListeners('request');
});

test('a row that is chosen is red in table, heat maps and map, and the one before is not any more', async () => {
  await open('tab=heat');
  await settled();
  assert.deepEqual(await redIn(HEATS), [false, false]);
  const rows = the('section-row');
  const first = await rows.nth(2).getAttribute('data-key');
  await rows.nth(2).click();
  assert.deepEqual(await chosenRows(), [first]);
  await untilRed(HEATS, [true, true]);
  const second = await rows.nth(3).getAttribute('data-key');
  await rows.nth(3).click();
  assert.deepEqual(await chosenRows(), [second]);
  await untilRed(HEATS, [true, true]);
  await the('tab-map').click();
  await the('section-map').waitFor(PATIENCE);
  await untilRed('[data-testid=section-map] canvas', [true]);
  assert.deepEqual(await chosenRows(), [second]);
  await browser.page.getByRole('button', { name: 'Choose none' }).click();
  await untilRed('[data-testid=section-map] canvas', [false]);
  assert.deepEqual(await chosenRows(), []);
});

test('a box is reached by keys, and choosing it brings its row into sight', async () => {
  await open('tab=heat');
  await settled();
  const box = browser.page.locator('[data-testid=heat-map] .drawn').nth(1);
  await box.focus();
  await browser.page.keyboard.press('End');
  await browser.page.keyboard.press('Enter');
  await the('section-facts').waitFor(PATIENCE);
  const row = browser.page.locator('[data-testid=section-row][aria-selected=true]');
  await row.waitFor(PATIENCE);
  const [own, around] = [await row.boundingBox(), await the('section-table').boundingBox()];
  assert.ok(own.y >= around.y && own.y + own.height <= around.y + around.height + 1, 'the row is in sight');
  await untilRed(HEATS, [true, true]);
});

test('a filter leaves the same sections in table, heat maps and matrix', async () => {
  await open('tab=heat');
  const [, all] = await shown();
  await the('filter-of-hi').click();
  const choices = browser.page.locator('.column-choices label');
  await choices.first().waitFor(PATIENCE);
  const hidden = Number(await choices.first().locator('small').textContent());
  await choices.first().locator('input').uncheck();
  await until(all - hidden);
  await browser.page.keyboard.press('Escape');
  for (const place of [0, 1]) {
    const panel = browser.page.locator('[data-testid=heat-map] .chart-panel').nth(place);
    await panel.getByTestId('chart-export').click();
    await panel.getByTestId('view-data').click();
    assert.equal(await panel.locator('.chart-table table').getAttribute('aria-rowcount'), String(all - hidden + 1));
  }
  await the('tab-matrix').click();
  await the('matrix').waitFor(PATIENCE);
  const inCells = (await browser.page.locator('.matrix .cell small').allTextContents()).reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
  const unmodelled = (await the('unmodelled-count').count()) > 0 ? Number.parseInt(await the('unmodelled-count').textContent(), 10) : 0;
  assert.equal(inCells + unmodelled, all - hidden);
  await the('filters-clear').click();
  await until(all);
});

test('every section is in a cell of the matrix or not modelled, and a cell shows exactly its own', async () => {
  await open('tab=matrix');
  const [, all] = await shown();
  const [cells, none, sum] = (await the('matrix-sum').textContent()).match(/\d+/g).map(Number);
  assert.equal(cells + none, sum);
  assert.equal(sum, all);
  const full = browser.page.locator('.matrix .cell[data-none=false]').first();
  const count = Number(await full.locator('b').textContent());
  const [, ci, hi] = (await full.getAttribute('data-testid')).split('-');
  await full.click();
  await until(count);
  const texts = await the('section-row').evaluateAll((rows) => rows.map((row) => [row.cells[4].textContent, row.cells[5].textContent]));
  assert.ok(texts.length > 0 && texts.every(([ownCi, ownHi]) => ownCi === ci && ownHi === hi), `${ci} ${hi}: ${texts.join(' ')}`);
  const empty = browser.page.locator('.matrix .cell[data-none=true]').first();
  if ((await empty.count()) > 0) {
    await empty.click();
    await until(0);
    await the('section-table').getByText('No data found to display!').waitFor(PATIENCE);
  }
  await the('cell-clear').click();
  await until(all);
  await browser.page.getByText('Health Index requires 10 years data for highest accuracy', { exact: true }).waitFor(PATIENCE);
});

test('what is not modelled says so and why, and has no health index', async () => {
  await open(`${await unmodelledPlace()}&tab=matrix`);
  await browser.page.getByRole('button', { name: 'Show those not modelled' }).click();
  const row = the('section-row').first();
  await browser.page.waitForFunction(() => document.querySelector('[data-testid=section-row]')?.dataset.modelled === 'false', null, PATIENCE);
  assert.equal(await row.locator('td').nth(5).textContent(), 'Not modelled');
  assert.match(await row.locator('td').nth(5).getAttribute('data-tip'), /^Not modelled: ./);
  assert.equal(await row.locator('td').nth(8).textContent(), '–');
});

test('replacing what is ticked saves risk, and taking it off saves nothing', async () => {
  await open('tab=forecast');
  await the('sort-pof').click();
  await the('sort-pof').click();
  for (const place of [0, 1, 2]) await the('section-row').nth(place).locator('input').check();
  await the('saved').waitFor(PATIENCE);
  assert.match(await the('saved').textContent(), /Risk saved until 2038, all years[1-9]/);
  assert.match(await the('saved').textContent(), /Cost of the list[1-9]/);
  // A second list with one section.
  await the('list-B').click();
  await the('section-row').first().locator('input').check();
  await the('saved').getByText('List B').waitFor(PATIENCE);
  assert.equal(await the('saved').locator('tbody tr').first().locator('td').count(), 2);
  await the('replacement-clear').click();
  await the('list-A').click();
  await the('replacement-clear').click();
  await the('saved').waitFor({ ...PATIENCE, state: 'detached' });
});

test('the two exports have the rows that are shown', async () => {
  await open('tab=heat');
  const [, all] = await shown();
  for (const [name, head] of [
    ['Alerts Table as CSV', 'Feeder,Cable,Section,CI,HI,Age,Length (km),PoF (%),Alert'],
    ['Asset Data as CSV', 'AssetName,CableAssetName,CableObjectId'],
  ]) {
    await the('health-export').click();
    const [download] = await Promise.all([browser.page.waitForEvent('download', PATIENCE), browser.page.getByRole('menuitem', { name }).click()]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    assert.ok(lines[0].replace('\uFEFF', '').startsWith(head), lines[0]);
    assert.equal(lines.length - 1, all);
  }
});

test('an administrator is told what is wrong with a file, by line and column, before anything is imported', async () => {
  const { page } = browser;
  await page.goto(`${base}/administration?tab=health`);
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), the('health-template').click(PATIENCE)]);
  const template = (await readFile(await download.path(), 'utf8')).replace('\uFEFF', '');
  const columns = template.trim().split(/\r?\n/).filter((line) => !line.startsWith('#'))[0].split(',').length;
  const wrong = `${template.trim()}\r\n${Array.from({ length: columns }, () => '?').join(',')}\r\n`;
  await the('health-file').setInputFiles({ name: 'register.csv', mimeType: 'text/csv', buffer: Buffer.from(wrong) });
  assert.equal(await the('health-import').isDisabled(), true);
  await the('health-try').click();
  await the('health-faults').waitFor(PATIENCE);
  assert.match(await the('health-faults').locator('tbody td').first().textContent(), /^\d+$/);
  assert.equal(await the('health-import').isDisabled(), true);
  assert.deepEqual(await door.findings('import of asset health'), []);
});

test('axe finds nothing against WCAG A and AA in either theme on any tab', async () => {
  browser.errors.splice(0);
  const found = [];
  for (const tab of ['heat', 'matrix', 'map', 'forecast', 'plant']) {
    await open(`tab=${tab}`);
    await settled();
    await the('section-row').nth(1).click();
    found.push(...(await door.findings(tab)));
  }
  await the('filter-of-feeder').click();
  found.push(...(await door.findings('a filter')));
  assert.deepEqual(found, []);
  assert.deepEqual(browser.errors, []);
});
