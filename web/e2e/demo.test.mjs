// The demo as a user sees it: sign in, select a substation, watch live values, see the loss of the connection, and see live values again.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aProduct } from './product.mjs';

const PATIENCE = { timeout: 20_000 };
/** The banner must appear within this time after the server has stopped. */
const LOSS = { timeout: 5_000 };

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

const shownElements = () => browser.page.evaluate(() => window.__switchyard.elements());
const live = (state) => browser.page.locator(`[data-testid=sld][data-live=${state}]`).waitFor(state === 'lost' ? LOSS : PATIENCE);

test('signing in says what is missing, what is wrong, and then goes to the dashboard', async () => {
  const { page } = browser;
  await page.goto(base);
  await page.getByTestId('login-submit').click();
  await page.getByText('Please enter username').waitFor(PATIENCE);
  await page.getByTestId('login-username').fill('operator');
  await page.getByTestId('login-submit').click();
  await page.getByText('Please enter password').waitFor(PATIENCE);
  await page.getByTestId('login-password').fill('wrong');
  await page.getByTestId('login-submit').click();
  await page.getByText('User name or password is not right').first().waitFor(PATIENCE);
  await page.getByTestId('login-password').fill('switchyard-demo');
  await page.getByTestId('login-submit').click();
  await page.waitForURL('**/dashboard*', PATIENCE);
  await page.getByText('Please select Location to view SLD').waitFor(PATIENCE);
});

test('a substation is live: every breaker known, values move by themselves', async () => {
  const { page } = browser;
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await live('live');
  await page.waitForFunction(() => window.__switchyard.elements().every((element) => element.live), null, PATIENCE);
  const breakers = (await shownElements()).filter((element) => element.class === 'breaker');
  assert.ok(breakers.length >= 14, `${breakers.length} breakers`);
  assert.ok(breakers.every((element) => ['open', 'closed'].includes(element.meaning)));
  const before = await page.evaluate(() => JSON.stringify(window.__switchyard.points()));
  await page.waitForFunction((held) => JSON.stringify(window.__switchyard.points()) !== held, before, PATIENCE);
});

test('the tables move by push, freeze on demand, and a load row selects its feeder', async () => {
  const { page } = browser;
  await page.getByTestId('tab-analog-realtime').click();
  await page.getByTestId('view-load').click();
  const row = page.getByTestId('load-row').filter({ hasText: 'F2 Fish Market' });
  await row.click(PATIENCE);
  await page.locator('.detail h2', { hasText: 'F2' }).waitFor(PATIENCE);
  const time = await row.locator('td').first().innerText();
  await page.waitForFunction(([text]) => ![...document.querySelectorAll('[data-testid=load-row]')].some((tr) => tr.textContent.includes('F2 Fish Market') && tr.cells[0].innerText === text), [time], PATIENCE);
  await page.getByRole('switch', { name: 'Auto Refresh' }).uncheck();
  await page.getByTestId('frozen').filter({ hasText: /Frozen at \d\d:\d\d:\d\d · [1-9]\d* new/ }).waitFor(PATIENCE);
  await page.getByTestId('tab-analog-realtime').click();
  await page.getByTestId('view-points').click();
  // The page contains only the visible rows, so the table is filtered.
  await page.getByTestId('point-filter').fill('F1/F1CB/Pos');
  await page.locator('[data-testid=point-row][data-quality=good]').filter({ hasText: 'F1/F1CB/Pos' }).waitFor(PATIENCE);
  await page.getByTestId('tab-sld').click();
});

test('a silent server is seen within five seconds, nothing looks live meanwhile, and it heals by itself', async () => {
  const { page } = browser;
  await live('live');
  product.kill('SIGSTOP');
  try {
    await live('lost');
    await page.getByTestId('connection-banner').filter({ hasText: 'Values are not live.' }).waitFor(LOSS);
    assert.ok((await shownElements()).every((element) => !element.live), 'an element looks live');
    if (process.env.SWITCHYARD_SHOTS) await page.screenshot({ path: join(process.env.SWITCHYARD_SHOTS, 'lost.png') });
  } finally {
    product.kill('SIGCONT');
  }
  await live('live');
  await page.getByTestId('connection-banner').waitFor({ state: 'detached', ...PATIENCE });
});

test('a crash of the whole product is survived by the open page', async () => {
  const { page } = browser;
  product.kill('SIGKILL');
  await product.ended();
  await live('lost');
  assert.ok((await shownElements()).every((element) => !element.live), 'an element looks live');
  // From here on, an hour of the demo passes in a minute, so that values change during the test.
  product.settings.SWITCHYARD__SIMULATE__SPEED = '60';
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '24';
  await product.start();
  await live('live');
  await page.waitForFunction(() => window.__switchyard.elements().every((element) => element.live), null, PATIENCE);
});

test('a trip arrives in the event log by push', async () => {
  const { page } = browser;
  // All RTUs that this user may see are online.
  await page.getByTestId('light-rtu').filter({ hasText: /RTU ([1-9]\d*) of \1$/ }).waitFor(PATIENCE);
  await page.getByTestId('tab-event-log').click();
  const offsets = () => page.evaluate(() => [...document.querySelectorAll('[data-testid=event-row]')].map((row) => Number(row.dataset.key)));
  const top = Math.max(0, ...(await offsets()));
  await page.waitForFunction(
    (held) => [...document.querySelectorAll('[data-testid=event-row]')].some((row) => Number(row.dataset.key) > held && row.cells[1].textContent === 'Position' && row.cells[3].textContent === 'OPEN'),
    top,
    { timeout: 60_000 },
  );
  const shown = await offsets();
  assert.equal(new Set(shown).size, shown.length, 'a row stands twice');
});

test('signing out ends it', async () => {
  const { page, errors } = browser;
  await page.getByRole('button', { name: 'Your menu' }).click();
  await page.getByTestId('sign-out').click();
  await page.waitForURL(`${base}/`, PATIENCE);
  assert.deepEqual(errors, []);
});
