// Entered values as an operator makes them, by keyboard: a position and a measurement are marked S, listed for the handover, and withdrawn.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aProduct } from './product.mjs';

const PATIENCE = { timeout: 20_000 };

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

const press = async (testId, key) => {
  await browser.page.getByTestId(testId).first().focus(PATIENCE);
  await browser.page.keyboard.press(key);
};
const type = async (testId, text) => {
  await browser.page.getByTestId(testId).focus(PATIENCE);
  await browser.page.keyboard.press('Control+a');
  await browser.page.keyboard.type(text);
};
const unit = async () => (await browser.page.evaluate(() => window.__switchyard.elements())).find(({ name }) => name === 'U1 SW-A');

test('a position and a measurement are entered by keyboard, and marked with S', async () => {
  const { page } = browser;
  await page.goto(`${base}/login`);
  await page.getByTestId('login-username').fill('operator');
  await page.getByTestId('login-password').fill('switchyard-demo');
  await page.getByTestId('login-submit').click();
  await page.waitForURL('**/dashboard*', PATIENCE);
  await page.goto(`${base}/sld/feeder?id=QUAYSIDE%2FF1`);
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.getByRole('option', { name: /^U1 SW-A/ }).focus(PATIENCE);
  await page.keyboard.press('Enter');
  await page.getByTestId('assumed-state').waitFor(PATIENCE);
  await press('action-enter-value', 'Enter');
  await press('entry-open', 'Space');
  await type('entry-reason', 'seen by the crew');
  await page.keyboard.press('Enter');
  await page.getByTestId('confirmed-state').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('confirmed-state').textContent(), 'S Open');
  assert.deepEqual([(await unit()).meaning, (await unit()).assumed], ['open', false]);
  await press('action-enter-value', 'Enter');
  await press('entry-what', 'ArrowDown');
  await type('entry-value', '10800');
  await type('entry-reason', 'read on site');
  await page.keyboard.press('Enter');
  await page.locator('dialog [role=alert]', { hasText: /nominal voltage is 11 kV/ }).waitFor(PATIENCE);
  await type('entry-value', '10.8');
  await page.keyboard.press('Enter');
  await page.getByTestId('entered-here').getByText(/S 10.8 kV/).waitFor(PATIENCE);
});

test('the handover lists both after a reload, and they are withdrawn from the list', async () => {
  const { page } = browser;
  await page.goto(`${base}/abnormal`);
  await page.getByTestId('entered-row').getByText('S Open', { exact: true }).waitFor(PATIENCE);
  await page.getByText('S 10.8 kV', { exact: true }).waitFor(PATIENCE);
  await page.getByText('read on site', { exact: true }).waitFor(PATIENCE);
  for (const left of [1, 0]) {
    await press('entered-withdraw', 'Enter');
    await type('entry-reason', 'handed over');
    await page.keyboard.press('Enter');
    await page.waitForFunction((count) => document.querySelectorAll('[data-testid=entered-withdraw]').length === count, left, PATIENCE);
  }
  await page.getByText('No value is entered by hand.').waitFor(PATIENCE);
  await page.goto(`${base}/sld/feeder?id=QUAYSIDE%2FF1&device=${encodeURIComponent('QUAYSIDE/F1/U1/SW-A')}`);
  await page.getByTestId('assumed-state').waitFor(PATIENCE);
});
