// The network on the screen: the list of switches that are not in their normal position, and the highlighted path and fed part of a device on diagram and
// map. Both follow a switch that moves.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

/** A folder for pictures of the screen; none without it. */
const PICTURES = process.env.SWITCHYARD_E2E_PICTURES;

let product;
let base;
let browser;
/** A second tab of the same user, with the list. */
let list;

before(async () => {
  product = await aProduct();
  base = product.base;
  // No switch moves unless this test moves it.
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '0';
  await product.start();
  browser = await openBrowser({ width: 1440, height: 900 });
  await aDoor(browser.page, base).signedIn('operator');
  list = await browser.page.context().newPage();
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const traced = (page) => page.evaluate(() => window.__switchyard.traced());
const isTraced = (page, is = true) => page.waitForFunction((wanted) => (window.__switchyard.traced() !== null) === wanted, is, PATIENCE);

/** Takes a picture of a page in two sizes, and without a selected device. */
async function picture(page, name) {
  if (!PICTURES) return;
  for (const [width, height] of [[390, 844], [1440, 900]]) {
    await page.setViewportSize({ width, height });
    // A resized diagram is drawn in the next frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: join(PICTURES, `${name}-dark-${width}.png`) });
  }
}

async function quayside(page) {
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F2CB')?.live, null, PATIENCE);
}

const isAt = (page, meaning) => page.waitForFunction((wanted) => window.__switchyard.elements().find(({ name }) => name === 'F2CB')?.meaning === wanted, meaning, PATIENCE);

/** Moves the breaker of the second feeder of Quayside, as soon as the server allows it. */
async function moves(page, to) {
  const { x, y } = await stillAt(page, 'F2CB');
  await page.mouse.click(x, y);
  await page.waitForFunction(() => document.querySelector('[data-testid=action-direct]')?.disabled === false, null, { timeout: 60_000 });
  await page.getByTestId('action-direct').click();
  await page.getByTestId('credentials-password').fill(PASSWORD, PATIENCE);
  await page.getByTestId('credentials-submit').click();
  await page.getByTestId('operate-send').click(PATIENCE);
  await isAt(page, to);
}

test('the list says that everything is normal, and shows an opened breaker at once with its customers', async () => {
  const { page } = browser;
  await page.getByTestId('rail-abnormal').click();
  await page.getByText('Every reported switch is in its normal position.').waitFor({ timeout: 60_000 });
  await list.goto(`${base}/abnormal`);
  await list.getByText('Every reported switch is in its normal position.').waitFor(PATIENCE);
  await page.goto(`${base}/dashboard?tab=sld`);
  await quayside(page);
  await moves(page, 'open');
  // Meanwhile the breaker may be shown between its positions.
  const row = list.getByTestId('abnormal-row').filter({ hasText: /ClosedOpen/ });
  await row.waitFor({ timeout: 5_000 });
  const text = await row.innerText();
  assert.match(text, /33\/11 kV Quayside[\s\S]*F2[\s\S]*CB[\s\S]*Breaker[\s\S]*Closed[\s\S]*Open/);
  assert.match(text, /\d\d:\d\d:\d\d/);
  assert.ok(Number((await row.locator('td.number').innerText()).replace(',', '')) > 0, text);
  await picture(list, 'abnormal');
});

test('a row leads to the diagram with the switch selected', async () => {
  await list.getByTestId('abnormal-row').first().click();
  await list.waitForURL('**/dashboard?location=*&tab=sld&point=*', PATIENCE);
  await list.waitForFunction(() => window.__switchyard.selected?.()?.name === 'F2CB', null, PATIENCE);
});

test('the path to a device is highlighted on diagram and map until Escape, and a screen reader hears it', async () => {
  const { page } = browser;
  await page.getByTestId('trace-path').click(PATIENCE);
  await isTraced(page);
  const { kind, elements, nodes } = await traced(page);
  assert.equal(kind, 'path');
  assert.ok(elements.length >= 3 && nodes.length >= 3, JSON.stringify({ elements, nodes }));
  assert.match(await page.getByTestId('trace-said').textContent(), /^Path from .+ to F2CB/);
  await page.getByTestId('toggle-network').click();
  await page.getByTestId('map-traced').first().waitFor({ ...PATIENCE, state: 'attached' });
  const kinds = await page.locator('polyline[data-traced=true]').evaluateAll((lines) => lines.map((line) => line.dataset.kind));
  assert.deepEqual(new Set(kinds), new Set(['line']), 'the feeder is behind the breaker');
  assert.ok((await page.getByTestId('map-traced-substation').count()) >= 2, 'Quayside and where its supply comes from');
  await page.getByTestId('map-trace-legend').waitFor(PATIENCE);
  await picture(page, 'path');
  await page.keyboard.press('Escape');
  await isTraced(page, false);
  assert.equal(await page.getByTestId('map-traced').count(), 0);
  assert.equal(await page.getByTestId('trace-note').count(), 0);
});

test('what a device feeds is highlighted, with the measured load, and not any longer once it is open', async () => {
  const { page } = browser;
  await page.getByText('nothing', { exact: true }).waitFor(PATIENCE);
  await moves(page, 'closed');
  await page.getByTestId('trace-feeds').click(PATIENCE);
  await isTraced(page);
  assert.equal((await traced(page)).kind, 'feeds');
  await page.waitForFunction(() => /MW now, measured/.test(document.querySelector('[data-testid=trace-load]')?.textContent ?? ''), null, PATIENCE);
  assert.ok((await page.getByTestId('map-traced').count()) >= 1, 'the feeder');
  await picture(page, 'feeds');
  await moves(page, 'open');
  await isTraced(page, false);
  await page.getByTestId('trace-note').waitFor(PATIENCE);
});

test('the diagram of a feeder highlights the path of equipment that no point reports', async () => {
  const { page } = browser;
  await page.goto(`${base}/sld/feeder?id=QUAYSIDE%2FF1&device=${encodeURIComponent('QUAYSIDE/F1/U2/SW-B')}`);
  await page.getByTestId('trace-path').click(PATIENCE);
  await isTraced(page);
  const path = await traced(page);
  assert.ok(path.elements.includes('QUAYSIDE/F1CB') && path.nodes.length >= 2, JSON.stringify(path));
  await picture(page, 'feeder-path');
  await page.getByTestId('trace-feeds').click();
  await page.waitForFunction((before) => window.__switchyard.traced()?.kind === 'feeds' && JSON.stringify(window.__switchyard.traced()) !== before, JSON.stringify(path), PATIENCE);
  await picture(page, 'feeder-feeds');
  assert.deepEqual(browser.errors, []);
});
