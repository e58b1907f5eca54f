// What the specification wants on many screens, with one product: the place at first, settings that take effect, the diagram beside the tables,
// addresses, exports, tooltips and long requests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  // A minute of the demo passes in a second, so that faults happen during the test.
  product.settings.SWITCHYARD__SIMULATE__SPEED = '60';
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '24';
  await product.start();
  base = product.base;
  browser = await openBrowser({ width: 1600, height: 1000 });
  door = aDoor(browser.page, base);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const shot = async (name) => process.env.SWITCHYARD_SHOTS && browser.page.screenshot({ path: join(process.env.SWITCHYARD_SHOTS, `specification-${name}.png`) });

/** Signs in over REST. Returns a function that requests a path, and the sign-in's answer. */
async function rest(username) {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username, password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const ask = (path) => fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${me.token}` } }).then((answer) => answer.json());
  return { me, ask };
}

/** The substation Quayside as a user sees it. */
async function quayside(username = 'operator') {
  const { me, ask } = await rest(username);
  const place = (await ask(`substation/substationsbyuser/${me.id}`)).result.find(({ AssetPointName }) => AssetPointName.includes('Quayside'));
  const assets = (await ask(`asset/assetsbysubstation/${place.AssetPointId}/1,2,4,5,8,11`)).result;
  return { place, assets, location: place.AssetPointId };
}

test('a place is selected by role, and stays when the user returns', async () => {
  const { page } = browser;
  const screens = ['/eereportsnew', '/fareportsnew', '/assetreportsnew', '/lowcarbon', '/exportreports'];
  for (const [username, level] of [['super', 'division'], ['admin', 'division'], ['operator', 'substation']]) {
    await door.signedIn(username);
    for (const path of screens) {
      await page.goto(base + path);
      const [list, node] = path === '/exportreports' ? ['report-level', level === 'division' ? 'report-area' : 'report-location'] : ['select-level', 'select-node'];
      await page.waitForFunction(
        ([list, node, level]) => {
          const at = (id) => document.querySelector(`[data-testid=${id}]`);
          // The box shows the name of the selected place. Lists that a level does not use may be hidden.
          const isSelected = [...document.querySelectorAll(`[data-testid=${node}]`)].some((field) => field.checkVisibility() && field.value !== '');
          return at(list)?.value === level && isSelected;
        },
        [list, node, level],
        PATIENCE,
      );
    }
    await page.goto(`${base}/assethealth`);
    await page.waitForFunction(() => Boolean(document.querySelector('[data-testid=health-substation]')?.value), null, PATIENCE);
    await door.signOut();
  }
  // Back leaves the screen, although it has selected a place.
  await door.signedIn('operator');
  await page.goto(`${base}/tree`);
  await page.locator('.rail a[href="/eereportsnew"]').click();
  await page.waitForURL(/level=substation&node=\d+/, PATIENCE);
  await page.goBack();
  await page.waitForURL(`${base}/tree`, PATIENCE);
  // The place that the user selects stays when the user returns, here and on the other screens.
  await page.goto(`${base}/eereportsnew`);
  const node = page.getByTestId('select-node');
  await page.waitForFunction(() => Boolean(document.querySelector('[data-testid=select-node]')?.value), null, PATIENCE);
  const automatic = await node.inputValue();
  await node.click(PATIENCE);
  await page.locator('[role=option]').nth(1).click(PATIENCE);
  const own = await node.inputValue();
  assert.notEqual(own, automatic);
  for (const path of ['/tree', '/eereportsnew', '/fareportsnew']) {
    await page.goto(base + path);
    if (path !== '/tree') await page.waitForFunction((name) => document.querySelector('[data-testid=select-node]')?.value === name, own, PATIENCE);
  }
  await door.signOut();
});

test('the diagram stands beside the tables, on one side at a time', async () => {
  const { page } = browser;
  const { location } = await quayside();
  await door.signedIn('operator');
  await page.goto(`${base}/dashboard?location=${location}&tab=analog-log`);
  await page.getByTestId('tab-diagram').click(PATIENCE);
  await page.locator('.slot [data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.getByTestId('energy-row').first().waitFor(PATIENCE);
  await shot('diagram-beside');
  // A selected row selects its symbol.
  await page.getByTestId('energy-row').filter({ hasText: 'F2 Fish Market' }).click();
  await page.locator('.detail h2', { hasText: 'F2' }).waitFor(PATIENCE);
  await page.getByTestId('tab-sld').click();
  await page.locator('.place [data-testid=sld]').waitFor(PATIENCE);
  assert.equal(await page.locator('[data-testid=sld]').count(), 1);
  await page.getByTestId('toggle-network').click();
  await page.getByTestId('tab-diagram').click();
  await page.locator('.slot [data-testid=sld]').waitFor(PATIENCE);
  assert.equal(await page.locator('[data-testid=sld]').count(), 1);
  await page.locator('[data-testid=tab-faults][aria-selected=true]').waitFor(PATIENCE);
  await page.goto(`${base}/dashboard?area=diagram`);
  await page.locator('.area').getByText('Please select Location to view SLD').waitFor(PATIENCE);
  await door.signOut();
});

test('the faults of one asset', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await page.goto(`${base}/faultdashboard?tab=faults.table`);
  const first = page.getByTestId('fault-row').first();
  await first.waitFor({ timeout: 120_000 });
  const [, feeder, place] = (await first.locator('td').allInnerTexts()).map((text) => text.trim());
  await page.goto(`${base}/dashboard`);
  await page.getByTestId('select-location').selectOption({ label: place }, PATIENCE);
  await page.getByTestId('tab-faults').click();
  const option = page.getByTestId('select-asset').locator('option', { hasText: feeder }).first();
  await option.waitFor({ state: 'attached', ...PATIENCE });
  await page.getByTestId('fault-row').first().waitFor(PATIENCE);
  await page.getByTestId('select-asset').selectOption({ label: await option.innerText() });
  await page.waitForFunction((name) => {
    const rows = [...document.querySelectorAll('.place [data-testid=fault-row]')];
    return rows.length > 0 && rows.every((row) => row.cells[1].textContent.trim() === name);
  }, feeder, PATIENCE);
  await shot('faults-of-asset');
  await door.signOut();
});

test('an address in base64 opens the diagram of a substation, or of an asset', async () => {
  const { page } = browser;
  const { place, assets, location } = await quayside();
  const feeder = assets.find(({ assetName }) => assetName.includes('F2 Fish Market'));
  await door.signedIn('operator');
  const open = (text) => page.goto(`${base}/sldnew?${Buffer.from(text).toString('base64')}`);
  await page.goto(`${base}/sldnew`);
  await page.getByText('Please select the secondary node to view SLD').waitFor(PATIENCE);
  await open(`divId=${place.divisionId}&asptId=${location}`);
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.getByRole('heading', { name: /Quayside/ }).waitFor(PATIENCE);
  await open(`divId=${place.divisionId}&asptId=${location}&asstId=${feeder.assetId}`);
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.locator('.detail h2', { hasText: 'F2' }).waitFor(PATIENCE);
  await door.signOut();
});

test('all points and the health of a substation are live tables', async () => {
  const { page } = browser;
  const { location } = await quayside();
  await door.signedIn('operator');
  for (const [tab, title] of [['analog-realtime&view=points', 'All points'], ['substation-health', 'Substation health']]) {
    await page.goto(`${base}/dashboard?location=${location}&tab=${tab}`);
    await page.getByTestId('point-row').first().waitFor(PATIENCE);
    const place = page.locator('.place');
    await place.getByRole('switch', { name: 'Auto Refresh' }).uncheck();
    await page.getByTestId('frozen').waitFor(PATIENCE);
    await place.getByRole('switch', { name: 'Auto Refresh' }).check();
    await place.getByRole('button', { name: 'Point', exact: true }).click();
    await place.locator('th[aria-sort=ascending]').waitFor(PATIENCE);
    await page.getByTestId('export').click();
    const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.getByRole('menuitem', { name: `${title} as CSV` }).click()]);
    assert.ok(readFileSync(await download.path(), 'utf8').split('\r\n').length > 3);
  }
  // Hundreds of points are in the table, and only the visible ones in the page.
  await page.goto(`${base}/dashboard?location=${location}&tab=analog-realtime&view=points`);
  await page.getByTestId('point-row').first().waitFor(PATIENCE);
  assert.ok(Number(await page.locator('.place table').getAttribute('aria-rowcount')) > 300);
  assert.ok((await page.getByTestId('point-row').count()) < 120);
  await page.getByTestId('point-filter').fill('F2/F2/Ir');
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=point-row]').length === 1, null, PATIENCE);
  await door.signOut();
});

test('a chart is saved as XLS, and a battery has all of its data', async () => {
  const { page } = browser;
  const { location } = await quayside();
  await door.signedIn('operator');
  await page.goto(`${base}/assetreportsnew?level=substation&node=${location}&tab=asset.battery`);
  await page.getByTestId('preset-all').click(PATIENCE);
  await page.locator('.chart-panel canvas').first().waitFor(PATIENCE);
  const presets = await page.locator('[data-testid^=preset-]').allInnerTexts();
  assert.deepEqual(presets, ['1d', '1w', '1m', '6m', '1y', 'All']);
  await page.getByTestId('chart-export').first().click();
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.getByTestId('save-xls').click()]);
  assert.match(download.suggestedFilename(), /\.xls$/);
  assert.equal(readFileSync(await download.path()).subarray(0, 8).toString('hex'), 'd0cf11e0a1b11ae1');
  await shot('battery');
  await door.signOut();
});

test('tooltips come with the pointer, the focus and touch', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  const tip = page.getByTestId('tooltip');
  await page.getByTestId('light-rtu').hover();
  await tip.filter({ hasText: 'Gateways that the server' }).waitFor(PATIENCE);
  await page.mouse.move(700, 500);
  await tip.waitFor({ state: 'hidden', ...PATIENCE });
  await page.getByTestId('export').focus();
  await page.keyboard.press('Tab');
  await tip.filter({ hasText: 'Help' }).waitFor(PATIENCE);
  await page.keyboard.press('Escape');
  await tip.waitFor({ state: 'hidden', ...PATIENCE });
  await page.getByTestId('light-server').dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true });
  await tip.filter({ hasText: 'This screen' }).waitFor(PATIENCE);
  await door.signOut();
});

test('a long request is shown and cancelled, and can be sent again', async () => {
  const { page } = browser;
  const { location } = await quayside();
  await door.signedIn('operator');
  const held = [];
  await page.route('**/api/analytics/getenergyovertime/**', (route) => held.push(route));
  await page.goto(`${base}/eereportsnew?level=substation&node=${location}`);
  await page.getByTestId('slow-requests').filter({ hasText: /The server is still working: \d+ s/ }).waitFor(PATIENCE);
  await shot('still-working');
  await page.getByTestId('slow-cancel').click();
  await page.getByText('Cancelled before an answer arrived.').waitFor(PATIENCE);
  await page.getByTestId('slow-requests').waitFor({ state: 'detached', ...PATIENCE });
  await page.unroute('**/api/analytics/getenergyovertime/**');
  await page.locator('.chart-panel').first().getByRole('button', { name: 'Try again' }).click();
  await page.locator('.chart-panel canvas').first().waitFor(PATIENCE);
  await door.signOut();
});

test('the settings of an administrator take effect', async () => {
  const { page } = browser;
  const { location, assets } = await quayside('admin');
  const transformer = assets.find(({ assetTypeId }) => assetTypeId === 2 || assetTypeId === 5);
  const feeder = assets.find(({ assetName }) => assetName.includes('F2 Fish Market'));
  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=sites`);
  await page.getByTestId('site-new').click(PATIENCE);
  await page.getByTestId('site-host').fill('127.0.0.1');
  await page.getByTestId('site-mapUrl').fill('/tiles/{z}/{x}/{y}.svg');
  await page.getByTestId('site-save').click();
  await page.getByTestId('site-127.0.0.1').waitFor(PATIENCE);
  await page.goto(`${base}/administration?tab=utility`);
  await page.getByTestId('utility-logo').fill('/mark.svg', PATIENCE);
  await page.getByTestId('utility-sldSeconds').fill('1');
  await page.getByLabel('Title in the top bar').uncheck();
  await page.getByLabel('Values from GDS instead of PDS').check();
  await page.getByLabel('permissible loading').check();
  await shot('settings');
  await page.getByTestId('utility-save').click();
  await page.getByText('Changed. It holds from the next sign-in or reload.').waitFor(PATIENCE);
  await page.goto(`${base}/administration`);
  await page.getByRole('button', { name: 'Edit operator', exact: true }).click(PATIENCE);
  await page.getByTestId('member-picture').fill('/mark.svg');
  await page.getByTestId('member-save').click();
  await page.getByTestId('member-picture').waitFor({ state: 'detached', ...PATIENCE });
  await door.signOut();

  const tile = '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="255" height="255" fill="#345"/></svg>';
  await page.route('**/tiles/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: tile }));
  await door.signedIn('operator');
  await page.getByTestId('map-tile').first().waitFor({ state: 'attached', ...PATIENCE });
  assert.match(await page.getByTestId('map-tile').first().getAttribute('href'), /^\/tiles\/\d+\/\d+\/\d+\.svg$/);
  await page.getByTestId('client-logo').waitFor(PATIENCE);
  await page.getByTestId('profile-picture').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('title').count(), 0);
  await shot('brand');
  // The analog log has the general data, of the substation or of one asset.
  await page.goto(`${base}/dashboard?location=${location}&tab=analog-log`);
  await page.getByTestId('point-row').first().waitFor(PATIENCE);
  assert.equal(await page.getByTestId('energy-row').count(), 0);
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url().includes('/api/monitoring/getgdsdata/asset/'), PATIENCE), page.getByTestId('select-asset').selectOption(String(feeder.assetId))]);
  assert.equal(answer.status(), 200);
  await page.waitForFunction((name) => {
    const rows = [...document.querySelectorAll('[data-testid=point-row]')];
    return rows.length > 0 && rows.every((row) => row.cells[0].textContent.includes(name));
  }, feeder.assetName, PATIENCE);
  // Permissible loading is hidden.
  await page.goto(`${base}/assetreportsnew?level=asset&node=${transformer.assetId}`);
  await page.getByTestId('tab-asset.live-readings').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('tab-asset.permissible-loading').count(), 0);
  // Without the live connection, the values of the diagram are requested every second.
  await page.route('**/socket.io/**', (route) => route.abort());
  await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
  await page.goto(`${base}/dashboard?location=${location}&tab=sld`);
  const polled = (request) => request.url().includes(`/api/sld/sldgenericdatavalues/location/${location}`);
  const times = [];
  while (times.length < 5) {
    await page.waitForRequest(polled, PATIENCE);
    times.push(Date.now());
  }
  assert.ok(times.at(-1) - times[1] < 9_000, `intervals of ${times.slice(1).map((at, index) => at - times[index])} ms`);
  await page.unroute('**/socket.io/**');
});
