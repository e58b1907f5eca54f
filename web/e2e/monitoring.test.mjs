// Monitoring in a real browser: every tab, live and frozen tables, alarms from the trip to shelving, the map, communication, profiles.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let door;

before(async () => {
  product = await aProduct();
  // A minute of the demo passes in a second, so that values change during the test.
  product.settings.SWITCHYARD__SIMULATE__SPEED = '60';
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '24';
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  door = aDoor(browser.page, product.base);
  await door.signedIn('operator');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const shot = async (name) => process.env.SWITCHYARD_SHOTS && browser.page.screenshot({ path: join(process.env.SWITCHYARD_SHOTS, `${name}.png`) });

test('the map is the way to a substation, with the keyboard too', async () => {
  const { page } = browser;
  await page.getByTestId('network-map').waitFor(PATIENCE);
  const quayside = page.getByTestId('map-substation').filter({ hasText: 'Quayside' });
  await quayside.waitFor(PATIENCE);
  assert.ok((await page.locator('.map polyline[data-kind=line]').count()) > 3, 'lines of the network');
  await page.getByTestId('figure-rtu').filter({ hasText: /^(\d+) \/ \1$/ }).waitFor(PATIENCE);
  await shot('map');
  await quayside.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/location=\d+/, PATIENCE);
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
});

test('each tab about a place has rows of its own, and none says that it failed', async () => {
  const { page } = browser;
  for (const [tab, row] of [
    ['analog-log', 'energy-row'],
    ['analog-realtime', 'load-row'],
    ['power-quality', 'pq-row'],
    ['asset', 'assets-row'],
    ['substation-health', 'point-row'],
  ]) {
    await page.getByTestId(`tab-${tab}`).click();
    await page.getByTestId(row).first().waitFor(PATIENCE);
    await shot(tab);
    assert.equal(await page.locator('.place [role=alert]').count(), 0, tab);
  }
  const heads = await page.getByTestId('tab-asset').click().then(async () => {
    await page.getByTestId('assets-row').first().waitFor(PATIENCE);
    return page.locator('[data-testid=assets-table] th').allInnerTexts();
  });
  assert.deepEqual(heads.map((head) => head.trim().toLowerCase()), ['reported date time', 'device id', 'asset', 'asset type', 'battery vdc', 'battery adc', 'tap position', 'oti', 'wti', 'oil level']);
});

test('a table is sorted, filtered and frozen; frozen it says so and counts what comes', async () => {
  const { page } = browser;
  await page.getByTestId('tab-analog-realtime').click();
  await page.getByTestId('load-row').first().waitFor(PATIENCE);
  const place = page.locator('.place');
  await place.getByRole('button', { name: 'Ir', exact: true }).click();
  await place.locator('th[aria-sort=ascending]').waitFor(PATIENCE);
  await page.getByTestId('load-filter').fill('Fish');
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=load-row]').length === 1, null, PATIENCE);
  await page.getByTestId('load-filter').fill('');
  await place.getByRole('switch', { name: 'Auto Refresh' }).uncheck();
  await page.getByTestId('frozen').filter({ hasText: /Frozen at \d\d:\d\d:\d\d · [1-9]\d* new/ }).waitFor(PATIENCE);
  const picture = () => page.evaluate(() => [...document.querySelectorAll('[data-testid=load-row]')].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
  const before = await picture();
  await page.getByTestId('frozen').filter({ hasText: /[1-9]\d\d* new/ }).waitFor(PATIENCE);
  assert.deepEqual(await picture(), before);
  await place.getByRole('switch', { name: 'Auto Refresh' }).check();
  await page.getByTestId('frozen').waitFor({ state: 'detached', ...PATIENCE });
});

test('the substation itself has only its health; the choice of assets follows the tab', async () => {
  const { page } = browser;
  await page.getByTestId('tab-asset').click();
  const options = () => page.getByTestId('select-asset').locator('option').allInnerTexts();
  await page.getByTestId('select-asset').locator('option', { hasText: 'PTR-1' }).waitFor({ state: 'attached', ...PATIENCE });
  assert.deepEqual((await options()).map((name) => name.split(' ')[0]), ['All', 'PTR-1', 'PTR-2']);
  await page.getByTestId('tab-faults').click();
  await page.getByTestId('select-asset').locator('option', { hasText: 'F2 Fish Market' }).waitFor({ state: 'attached', ...PATIENCE });
  await page.getByTestId('tab-event-log').click();
  await page.getByTestId('select-asset').locator('option', { hasText: 'RTU' }).first().waitFor({ state: 'attached', ...PATIENCE });
  await page.getByTestId('select-asset').selectOption({ label: (await options()).find((name) => name.includes('RTU')) }, PATIENCE);
  await page.locator('[data-testid=tab-substation-health][aria-selected=true]').waitFor(PATIENCE);
});

test('a trip is an alarm on every screen: seen, acknowledged, shelved, given an owner', async () => {
  const { page } = browser;
  await page.getByTestId('alarm-first').waitFor({ timeout: 90_000 });
  await shot('alarm-bar');
  await page.getByTestId('alarm-list-open').click();
  const panel = page.getByTestId('alarm-panel');
  const row = panel.getByTestId('alarm-row').first();
  await row.waitFor(PATIENCE);
  await shot('alarm-list');
  // A button that can be pressed does not look like one that is disabled.
  const looks = await panel.getByTestId('alarm-row-acknowledge').first().evaluate((button) => {
    const look = () => [window.getComputedStyle(button).color, window.getComputedStyle(button).borderTopColor];
    const was = button.disabled;
    const shown = [false, true].map((disabled) => ((button.disabled = disabled), look()));
    button.disabled = was;
    return { shown, text: window.getComputedStyle(document.body).color };
  });
  assert.equal(looks.shown[0][0], looks.text, 'its text has the colour of texts');
  assert.notDeepEqual(looks.shown[0], looks.shown[1]);
  const key = await row.getAttribute('data-key');
  const mine = panel.locator(`[data-testid=alarm-row][data-key="${key}"]`);
  await mine.getByTestId('alarm-row-shelve').click();
  await page.getByTestId('shelve-reason').fill('crew on site');
  await page.getByTestId('shelve-send').click();
  await mine.waitFor({ state: 'detached', ...PATIENCE });
  await panel.getByRole('button', { name: 'Shelved', exact: true }).click();
  await mine.filter({ hasText: 'shelved until' }).waitFor(PATIENCE);
  await panel.getByRole('button', { name: 'All', exact: true }).click();
  // An alarm that is raised again in the meantime stays unacknowledged. The test repeats until an alarm stays acknowledged or leaves the list.
  await panel.getByTestId('alarm-row-acknowledge').first().waitFor({ timeout: 90_000 });
  const acknowledged = await panel.getByTestId('alarm-row').first().getAttribute('data-key');
  await panel.locator(`[data-testid=alarm-row][data-key="${acknowledged}"]`).getByTestId('alarm-row-acknowledge').click();
  await page.waitForFunction(
    (key) => {
      const row = document.querySelector(`[data-testid=alarm-panel] [data-testid=alarm-row][data-key="${key}"]`);
      return !row || row.textContent.includes('acknowledged, ');
    },
    acknowledged,
    PATIENCE,
  );
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached', ...PATIENCE });
});

test('at 1366 x 768 the alarms of the fault dashboard fit their pane', async () => {
  const { page } = browser;
  await page.setViewportSize({ width: 1366, height: 768 });
  for (const tab of ['faults.map', 'faults.details']) {
    await page.goto(`${product.base}/faultdashboard?tab=${tab}`);
    const pane = page.locator('.halves');
    await pane.getByTestId('alarm-row').first().waitFor({ timeout: 90_000 });
    const widths = await pane.getByTestId('alarm-table').evaluate((table) => ({
      table: table.scrollWidth,
      pane: table.clientWidth,
      cut: [...table.querySelectorAll('th')].filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent),
    }));
    assert.ok(widths.table <= widths.pane, `${tab}: ${JSON.stringify(widths)}`);
    assert.deepEqual(widths.cut, [], tab);
    // Each button is whole: one that cannot be seen cannot be pressed.
    const hidden = await pane.locator('td.row-actions').evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent));
    assert.deepEqual(hidden, [], tab);
    await shot(`alarms-${tab}`);
  }
  await page.setViewportSize({ width: 1600, height: 1000 });
});

test('the first screen says what is abnormal, and faults come with what they took', async () => {
  const { page } = browser;
  await page.goto(`${product.base}/home`);
  await page.getByTestId('figures').waitFor(PATIENCE);
  await page.getByTestId('tab-faults.table').click();
  const fault = page.getByTestId('fault-row').first();
  await fault.waitFor({ timeout: 90_000 });
  assert.match(await fault.innerText(), /(Open|Closed)/);
  await page.getByTestId('tab-faults.details').click();
  await page.locator('.bars rect[data-kind]').first().waitFor({ state: 'attached', ...PATIENCE });
  await shot('fault-details');
});

test('RTUs and feeders of a day, and what was off', async () => {
  const { page } = browser;
  await page.goto(`${product.base}/dashboard?area=rtu-health`);
  await page.getByTestId('rtu-row').first().waitFor(PATIENCE);
  await page.getByTestId('tab-outages').click();
  await page.getByTestId('hours-row').first().waitFor(PATIENCE);
  await page.getByTestId('tab-feeders').click();
  await page.getByTestId('feeder-row').first().waitFor(PATIENCE);
  await shot('communication');
});

test('a feeder has its profiles, a transformer its permissible loading', async () => {
  const { page } = browser;
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await page.getByTestId('tab-analog-realtime').click(PATIENCE);
  const feeder = page.getByTestId('select-asset').locator('option', { hasText: 'F2 Fish Market' });
  await feeder.waitFor({ state: 'attached', ...PATIENCE });
  await page.getByTestId('select-asset').selectOption({ label: await feeder.innerText() });
  await page.getByTestId('view-vi').click();
  await page.locator('.asset-view canvas').first().waitFor(PATIENCE);
  await page.locator('.readings tbody tr').first().waitFor(PATIENCE);
  await shot('vi-profile');
  await page.getByTestId('view-energy').click();
  await page.locator('.asset-view canvas').first().waitFor(PATIENCE);
  await shot('energy-profile');
});

test('trackers are entered by who may, and nothing went wrong on the way', async () => {
  const { page, errors } = browser;
  await door.signOut();
  await door.signedIn('admin');
  await page.goto(`${product.base}/eedashboard?tab=energy.table`);
  await page.getByTestId('tracker-new').click(PATIENCE);
  await page.getByTestId('tracker-text').fill('Balance the phases of F2');
  await page.getByTestId('tracker-owner').fill('Line crew 4');
  await page.getByTestId('tracker-due').fill('2031-03-01');
  await page.getByTestId('tracker-save').click();
  await page.getByTestId('tracker-row').filter({ hasText: 'Balance the phases of F2' }).waitFor(PATIENCE);
  await page.goto(`${product.base}/administration?tab=alarms`);
  await page.getByTestId('limits-location').selectOption({ label: '33/11 kV Quayside' }, PATIENCE);
  const point = page.getByTestId('limits-point').locator('option', { hasText: /^PTR-1 8 MVA, OTI/ });
  await point.waitFor({ state: 'attached', ...PATIENCE });
  await page.getByTestId('limits-point').selectOption({ label: await point.innerText() });
  await page.getByTestId('limit-high').waitFor(PATIENCE);
  await page.getByTestId('limit-high').fill('10');
  await page.getByTestId('limit-on-high').check();
  await page.getByTestId('limit-text-high').fill('Oil too warm for a test');
  await page.getByTestId('limits-save').click();
  await page.getByText('Saved. It holds within a second.').waitFor(PATIENCE);
  await page.getByTestId('alarm-list-open').click();
  // The page contains only the visible rows, and trips are first, so the list is filtered.
  await page.getByTestId('alarm-filter').fill('Oil too warm');
  await page.getByTestId('alarm-panel').getByTestId('alarm-row').filter({ hasText: 'Oil too warm for a test' }).waitFor(PATIENCE);
  assert.deepEqual(errors, []);
});
