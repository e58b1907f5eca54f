// A portable earth on the screen: placed at a breaker that is open, it refuses the closing with its number, until it is removed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

let product;
let base;
let browser;

before(async () => {
  product = await aProduct();
  base = product.base;
  // No switch moves unless this test moves it.
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '0';
  await product.start();
  browser = await openBrowser({ width: 1440, height: 1000 });
  await aDoor(browser.page, base).signedIn('operator');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

/** A breaker may be operated again after a pause. */
const PAUSE = { timeout: 60_000 };

const isAt = (page, meaning) => page.waitForFunction((wanted) => window.__switchyard.elements().find(({ name }) => name === 'F2CB')?.meaning === wanted, meaning, PATIENCE);

async function chosen(page) {
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F2CB')?.live, null, PATIENCE);
  const { x, y } = await stillAt(page, 'F2CB');
  await page.mouse.click(x, y);
}

/** Opens the operation of the selected breaker, as soon as the server allows it. */
async function ordered(page) {
  await page.waitForFunction(() => document.querySelector('[data-testid=action-direct]')?.disabled === false, null, PAUSE);
  await page.getByTestId('action-direct').click();
}

async function moves(page, to) {
  await ordered(page);
  await page.getByTestId('credentials-password').fill(PASSWORD, PATIENCE);
  await page.getByTestId('credentials-submit').click();
  await page.getByTestId('operate-send').click(PATIENCE);
  await isAt(page, to);
}

test('a portable earth refuses the closing of the breaker until it is removed', async () => {
  const { page } = browser;
  await chosen(page);
  await moves(page, 'open');
  await page.getByTestId('action-temporary').click(PATIENCE);
  // The end at the busbar is live, the other one is not.
  await page.locator('dialog label', { hasText: /^\s*End \d, beside (?!.*: energised)/ }).locator('input').check(PATIENCE);
  await page.getByTestId('temporary-save').click();
  await page.locator('dialog [role=alert]', { hasText: /reason/i }).waitFor(PATIENCE);
  await page.getByTestId('temporary-reason').fill('work on the feeder');
  await page.getByTestId('temporary-save').click();
  // Nobody knows the switches outside: the crew has to prove it dead.
  await page.locator('dialog [role=alert]', { hasText: /proved dead/ }).waitFor(PATIENCE);
  await page.getByTestId('temporary-seen-dead').check();
  await page.getByTestId('temporary-save').click();
  const here = page.getByTestId('temporary-here');
  await here.waitFor(PATIENCE);
  assert.match(await here.innerText(), /Portable earth \d+[\s\S]*work on the feeder/);
  const number = /Portable earth (\d+)/.exec(await here.innerText())[1];
  await ordered(page);
  await page.getByRole('dialog').filter({ hasText: new RegExp(`portable earth ${number} at .*placed by .*Remove it first`) }).waitFor(PATIENCE);
  await page.getByTestId('notice-ok').click();
  // The list of the shift has it, and removes it.
  await page.goto(`${base}/abnormal`);
  const row = page.getByTestId('temporary-row').filter({ hasText: 'work on the feeder' });
  await row.waitFor(PATIENCE);
  await page.getByTestId(`temporary-remove-${number}`).click();
  await page.getByTestId('temporary-reason').fill('work is done');
  await page.keyboard.press('Enter');
  await page.getByText('No jumper, cut or portable earth is in place.').waitFor(PATIENCE);
  await page.goto(`${base}/dashboard?tab=sld`);
  await chosen(page);
  assert.equal(await here.count(), 0);
  await moves(page, 'closed');
});
