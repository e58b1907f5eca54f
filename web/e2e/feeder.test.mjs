// The diagram of a feeder as a user sees it: opened from its breaker on the diagram of the substation, with every name readable, and live at its head.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aProduct } from './product.mjs';

const PATIENCE = { timeout: 20_000 };
/** A folder for pictures of the screen; none without it. */
const PICTURES = process.env.SWITCHYARD_E2E_PICTURES;

let base;
let product;
let browser;

before(async () => {
  product = await aProduct();
  base = product.base;
  // No screen here shows history.
  product.settings.SWITCHYARD__HISTORY__DEMO_DAYS = '0';
  await product.start();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const elements = () => browser.page.evaluate(() => window.__switchyard.elements());
const named = (name) => browser.page.waitForFunction((of) => window.__switchyard.elements().find((element) => element.name === of), name, PATIENCE);

test('the breaker of a feeder offers its diagram', async () => {
  const { page } = browser;
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.goto(`${base}/login`);
  await page.getByTestId('login-username').fill('operator');
  await page.getByTestId('login-password').fill('switchyard-demo');
  await page.getByTestId('login-submit').click();
  await page.waitForURL('**/dashboard*', PATIENCE);
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await named('F1CB');
  await page.getByRole('option', { name: /^F1CB/ }).click();
  await page.getByTestId('action-feeder').click(PATIENCE);
  await page.waitForURL('**/sld/feeder?id=QUAYSIDE%2FF1', PATIENCE);
  // The diagram of the substation stays until that of the feeder is loaded.
  await page.getByTestId('feeder-sums').waitFor(PATIENCE);
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.waitForFunction(() => window.__switchyard.elements().some(({ class: type }) => type === 'loadBreakSwitch'), null, PATIENCE);
  assert.match(await page.title(), /^33\/11 kV Quayside F1 .* · Feeder diagram/);
});

test('the diagram has the breaker live, and the switches outside in their normal position, marked as assumed', async () => {
  const { page } = browser;
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F1CB')?.live, null, PATIENCE);
  const all = await elements();
  const breaker = all.find(({ name }) => name === 'F1CB');
  assert.deepEqual([breaker.meaning, breaker.assumed], ['closed', false]);
  const units = all.filter(({ class: type }) => type === 'loadBreakSwitch');
  assert.ok(units.length >= 8, `${units.length} load-break switches`);
  assert.ok(units.every(({ assumed, live }) => assumed && !live));
  assert.ok(units.some(({ meaning }) => meaning === 'open'), 'a normally-open point');
  await page.getByRole('option', { name: /^U1 SW-A/ }).click();
  assert.equal(await page.getByTestId('assumed-state').textContent(), 'Closed');
  await page.getByText('Assumed: its normal position, because nothing reports it').waitFor(PATIENCE);
  // Everything up to the normally-open points is fed, and what is beyond them is fed by the neighbours.
  await page.waitForFunction(() => window.__switchyard.wires().every(({ state }) => state === 1), null, PATIENCE);
});

test('a position that nothing reports is confirmed with a reason, shown to all, and withdrawn', async () => {
  const { page } = browser;
  await page.getByRole('option', { name: /^U1 SW-A/ }).click();
  await page.getByTestId('action-confirm-position').click(PATIENCE);
  await page.getByTestId('entry-open').check();
  await page.getByTestId('entry-save').click();
  await page.locator('dialog [role=alert]', { hasText: /reason/i }).waitFor(PATIENCE);
  await page.getByTestId('entry-reason').fill('seen by the crew');
  await page.getByTestId('entry-save').click();
  await page.getByTestId('confirmed-state').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('confirmed-state').textContent(), 'S Open');
  assert.match(await page.getByTestId('confirmed-by').textContent(), /^Confirmed by .+, .+: seen by the crew$/);
  const unit = (await elements()).find(({ name }) => name === 'U1 SW-A');
  assert.deepEqual([unit.meaning, unit.assumed], ['open', false]);
  // What the switch fed is dead now, and the hub says so.
  await page.waitForFunction(() => window.__switchyard.wires().some(({ state }) => state === 2), null, PATIENCE);
  await page.reload();
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.getByRole('option', { name: /^U1 SW-A/ }).click();
  await page.getByTestId('confirmed-state').waitFor(PATIENCE);
  await page.getByTestId('action-withdraw-position').click();
  await page.getByTestId('entry-reason').fill('closed again');
  await page.getByTestId('entry-withdraw').click();
  await page.getByTestId('assumed-state').waitFor(PATIENCE);
  await page.waitForFunction(() => window.__switchyard.wires().every(({ state }) => state === 1), null, PATIENCE);
});

test('every name is written, none smaller than 11 px, none on another, and the neighbour is named at the open point', async () => {
  const { page } = browser;
  const written = await page.evaluate(() => window.__switchyard.names());
  assert.ok(written.every(({ px }) => px >= 11), JSON.stringify(written.filter(({ px }) => px < 11)));
  const texts = written.map(({ text }) => text);
  assert.ok(texts.some((text) => /^Quayside F\d+$/.test(text)), texts.join(', '));
  for (const { name, class: type } of await elements()) if (type === 'loadBreakSwitch') assert.ok(texts.includes(name), `${name} is not written: ${texts.join(', ')}`);
  assert.ok(texts.filter((text) => text.endsWith(' cust.')).length >= 4, texts.join(', '));
});

test('the tab of the station leads back to the breaker, and an unknown feeder says so', async () => {
  const { page } = browser;
  await page.getByTestId('tab-station').click();
  await page.waitForURL('**/dashboard?location=*', PATIENCE);
  await named('F1CB');
  await page.goto(`${base}/sld/feeder?id=QUAYSIDE%2FF99`);
  await page.getByText('There is no such feeder in the network').waitFor(PATIENCE);
});

test('pictures of both themes', { skip: !PICTURES }, async () => {
  const { page } = browser;
  for (const [feeder, device] of [['QUAYSIDE/F1', 'QUAYSIDE/F1/U2/SW-B'], ['ORCHARD/F1', 'ORCHARD/F1CB'], ['QUAYSIDE/F3', '']]) {
    for (const theme of ['dark', 'light']) {
      for (const [width, height] of [[1366, 768], [1920, 1080]]) {
        await page.setViewportSize({ width, height });
        await page.evaluate((of) => window.localStorage.setItem('switchyard.theme', of), theme);
        await page.goto(`${base}/sld/feeder?id=${encodeURIComponent(feeder)}${device ? `&device=${encodeURIComponent(device)}` : ''}`);
        await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
        await page.waitForFunction(() => window.__switchyard.elements().some(({ live }) => live), null, PATIENCE);
        await page.screenshot({ path: join(PICTURES, `${feeder.replace('/', '-')}-${theme}-${width}.png`) });
      }
    }
  }
});
