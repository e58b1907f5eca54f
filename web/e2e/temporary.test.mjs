// A portable earth on the screen: placed at a breaker that is open, it refuses the closing with its number, until it is removed. Its mark moves nothing, and
// looks old when the changes cannot be read again.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

/** A folder for pictures of each screen; none without it. */
const PICTURES = process.env.SWITCHYARD_E2E_PICTURES;
const SIZES = [[1920, 1080], [390, 844]];
const SIZE = { width: 1440, height: 1000 };

let product;
let base;
let browser;

before(async () => {
  product = await aProduct();
  base = product.base;
  // No screen here shows history, and no switch moves unless this test moves it.
  product.settings.SWITCHYARD__HISTORY__DEMO_DAYS = '0';
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '0';
  await product.start();
  browser = await openBrowser(SIZE);
  await aDoor(browser.page, base).signedIn('operator');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

/** A breaker may be operated again after a pause. */
const PAUSE = { timeout: 60_000 };

/** Checks the screen with axe, and takes its pictures. */
async function look(page, name) {
  assert.deepEqual(await aDoor(page, base).findings(name), []);
  if (!PICTURES) return;
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`) });
  }
  await page.setViewportSize(SIZE);
}

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
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const before = await stillAt(page, 'F2CB');
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
  assert.deepEqual(await stillAt(page, 'F2CB'), before);
  await look(page, 'temporary-placed');

  // The api answers no more, while the live stream goes on: the mark is old, and the diagram says so.
  const changes = '**/api/network/temporary?*';
  await page.route(changes, (route) => route.abort());
  await page.getByTestId('marks-doubt').waitFor(PATIENCE);
  assert.match(await here.innerText(), /\? ?Portable earth \d+\s+Not up to date/);
  await look(page, 'temporary-old');
  await page.unroute(changes);
  await page.getByTestId('marks-doubt').waitFor({ state: 'detached', ...PATIENCE });

  // A version of the network without its place: the diagram cannot draw it, and names it.
  const unplaced = async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const row of body.result) Object.assign(row, { at: [], counts: false, problem: 'the node of the earth does not exist in version 2' });
    await route.fulfill({ response: answer, json: body });
  };
  await page.route(changes, unplaced);
  await page.getByTestId('lost-changes').filter({ hasText: `Portable earth ${number}` }).waitFor(PATIENCE);
  await look(page, 'temporary-lost');
  await page.unroute(changes);
  await page.getByTestId('lost-changes').waitFor({ state: 'detached', ...PATIENCE });
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
