// The analytics in a real browser with the demo's data: tabs by role and place, an answer for every tab, places in addresses, and
// accessibility.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

let product;
let browser;
let base;
let door;
/** Ids of a substation, its feeder, the feeder's breaker, a transformer and the division above. */
let at;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  door = aDoor(browser.page, base);
  const ask = await asking('super');
  const feeders = await ask(`asset/assetsbyclient/${ask.me.clientId}/1,4`);
  const transformers = await ask(`asset/assetsbyclient/${ask.me.clientId}/2,5`);
  const feeder = feeders.find(
    ({ assetName, breadCrumbName }) => assetName.startsWith('F2 ') && breadCrumbName.includes('33/11 kV Quayside'),
  );
  const place = (await ask(`substation/substationsbyclient/${ask.me.clientId}`)).find(
    ({ AssetPointId }) => AssetPointId === feeder.assetPointId,
  );
  const transformer = transformers.find(({ assetPointId }) => assetPointId === feeder.assetPointId);
  at = { feeder, transformer, substation: feeder.assetPointId, division: place.divisionId };
  // The demo generates its history while it runs, newest day first. The tests start when this feeder has some history.
  const hour = (ago) => new Date(Date.now() - ago * 3_600_000).toISOString();
  for (const deadline = Date.now() + 300_000; ; await new Promise((wake) => setTimeout(wake, 1_000))) {
    const { series } = await ask(`history/asset/${feeder.assetId}?measure=active&from=${hour(3)}&to=${hour(2)}&width=10`);
    if (series.some(({ mean }) => mean.some((value) => value !== null))) break;
    assert.ok(Date.now() < deadline, 'the demo has no past after 300 s');
  }
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

/** Returns a function for REST requests by a user of the demo. */
async function asking(username) {
  const me = await fetch(`${base}/api/token`, {
    method: 'POST',
    body: new URLSearchParams({ username, password: PASSWORD, feui: '1' }),
  }).then((answer) => answer.json());
  const ask = (path) =>
    fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${me.token}` } })
      .then((answer) => answer.json())
      .then(({ result }) => result);
  return Object.assign(ask, { me });
}

const tabs = () => browser.page.locator('.main [role=tab]').evaluateAll((list) => list.map((tab) => tab.textContent.trim()));
const open = async (path, level, node, tab) => {
  await browser.page.goto(`${base}/${path}?${new URLSearchParams({ level, node: String(node), ...(tab && { tab }) })}`);
  await browser.page.locator('.main [role=tab]').first().waitFor(PATIENCE);
};

const EE = ['Energy', 'Reliability', 'Demand', 'Forecast'];
const FAULT = ['Fault Trends', 'Feeder Curves'];
const WHO = ['super', 'admin', 'operator', 'viewer', 'field', 'demo'];

for (const who of WHO) {
  test(`${who} has exactly the tabs of their role, and only where they make sense`, async () => {
    const { page } = browser;
    await door.signedIn(who);
    const ask = await asking(who);
    const list = (types) => ask(`asset/${who === 'super' ? `assetsbyclient/${ask.me.clientId}` : `assetsbyuser/${ask.me.id}`}/${types}`);
    const [feeder] = (await list('1')).filter(({ assetPointId }) => who !== 'super' || assetPointId === at.substation);
    const [transformer] = (await list('2,5')).filter(({ assetPointId }) => assetPointId === feeder.assetPointId);
    for (const path of ['eereportsnew', 'fareportsnew', 'assetreportsnew']) {
      await page.goto(`${base}/${path}`);
      // The place of the role comes first. Without a place there are no tabs.
      await page.waitForURL(/level=\w+&node=\d+/, PATIENCE);
      await page.getByTestId('select-level').selectOption('');
      await page.getByText('Please select appropriate option to view data').waitFor(PATIENCE);
      assert.deepEqual(await tabs(), [], `${path} without a place`);
    }
    for (const [path, level, node, expected] of [
      ['eereportsnew', 'substation', feeder.assetPointId, EE],
      ['eereportsnew', 'asset', feeder.assetId, [...EE, 'Quality Check']],
      ['fareportsnew', 'substation', feeder.assetPointId, FAULT],
      ['fareportsnew', 'asset', feeder.assetId, FAULT],
      ['assetreportsnew', 'substation', feeder.assetPointId, ['Battery']],
      ['assetreportsnew', 'asset', transformer.assetId, ['Live Readings', 'Permissible Loading', 'Battery']],
    ]) {
      await open(path, level, node);
      assert.deepEqual(await tabs(), expected, `${path} at a ${level}`);
      assert.equal(await page.locator('.main [role=tab][aria-selected=true]').textContent(), expected[0], 'the first is the default');
    }
    await door.signOut();
  });
}

/** Every tab, a place that has it, and an element that appears with the answer. */
const VIEWS = () => [
  ['eereportsnew', 'substation', at.substation, 'ee.energy', '[data-testid=losses-row]'],
  ['eereportsnew', 'division', at.division, 'ee.energy', '[data-testid=changes-row]'],
  ['eereportsnew', 'substation', at.substation, 'ee.reliability', '.chart-panel'],
  ['eereportsnew', 'asset', at.feeder.assetId, 'ee.demand', '.chart-panel .chart-box'],
  ['eereportsnew', 'substation', at.substation, 'ee.forecast', '[data-testid=budget-facts]'],
  ['eereportsnew', 'asset', at.feeder.assetId, 'ee.quality-check', '[data-testid=check-row]'],
  ['fareportsnew', 'substation', at.substation, 'fault.trends', '.chart-panel'],
  ['fareportsnew', 'asset', at.feeder.assetId, 'fault.feeder-curves', '[data-testid=relay-settings-row]'],
  ['assetreportsnew', 'asset', at.transformer.assetId, 'asset.live-readings', '[data-testid=transformer] .chart-box'],
  ['assetreportsnew', 'asset', at.transformer.assetId, 'asset.permissible-loading', '.chart-box'],
  ['assetreportsnew', 'substation', at.substation, 'asset.battery', '.chart-box'],
];

/** Waits until every chart has its answer. */
const rest = () =>
  browser.page.waitForFunction(
    () => [...document.querySelectorAll('.chart-panel')].every((panel) => panel.getAttribute('aria-busy') === 'false'),
    null,
    PATIENCE,
  );

test('every tab answers with the data of the demo, and axe finds nothing against WCAG A and AA in either theme', async () => {
  const { page } = browser;
  browser.errors.splice(0);
  await door.signedIn('super');
  const refused = [];
  // Listens from here on. Requests of the previous session are refused after signing out, and their answers can arrive late.
  const hear = (answer) =>
    answer.url().includes('/api/') && answer.status() >= 400 && refused.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
  page.on('response', hear);
  const found = [];
  for (const [path, level, node, tab, there] of VIEWS()) {
    await open(path, level, node, tab);
    await page.locator(there).first().waitFor(PATIENCE);
    await rest();
    assert.equal(await page.locator('.main [role=alert]').count(), 0, `${tab} at a ${level} tells of a failure`);
    found.push(...(await door.findings(`${tab} at a ${level}`)));
  }
  page.off('response', hear);
  assert.deepEqual(refused, []);
  assert.deepEqual(found, []);
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('the energy tab has the specification’s tables, and a number where the demo has registers', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await open('eereportsnew', 'substation', at.substation, 'ee.energy');
  await page.getByTestId('losses-row').first().waitFor(PATIENCE);
  await page.getByTestId('changes-row').first().waitFor(PATIENCE);
  assert.deepEqual(await page.locator('[data-testid=losses] th').allTextContents(), ['Timescale', 'Losses kWh']);
  assert.deepEqual(await page.locator('[data-testid=changes] th').allTextContents(), ['Time of Reading', 'Efficiency %', 'Change %']);
  const first = await page.getByTestId('losses-row').first().locator('td').allTextContents();
  assert.match(first[0], /^Today/);
  assert.match(first[1], /^−?\d+\.\d\d$/);
  for (const name of await page.locator('[data-testid=changes-row] td:first-child').allTextContents()) assert.match(name, / ago/);
  await page.getByRole('button', { name: 'Coverage' }).focus();
  await page.getByRole('tooltip').filter({ hasText: 'good readings' }).waitFor(PATIENCE);
  await door.signOut();
});

test('the budget says what is dotted, in the words of the specification', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await open('eereportsnew', 'substation', at.substation, 'ee.forecast');
  await page.getByText('Dotted line represnts forecasted data', { exact: true }).waitFor(PATIENCE);
  await door.signOut();
});

test('readings of a transformer have their age, and a value that is not there is no 0', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await open('assetreportsnew', 'asset', at.transformer.assetId, 'asset.live-readings');
  await page.locator('[data-testid=transformer][data-live=true]').waitFor(PATIENCE);
  assert.match(await page.getByTestId('oil-level').textContent(), /^(NORMAL|LOW|HIGH)/);
  assert.match(await page.getByTestId('reported').textContent(), /\d\d:\d\d:\d\d.*old/);
  const box = page.getByTestId('transformer').locator('.chart-box');
  await box.focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await page.getByTestId('transformer').locator('[role=status]').textContent(), /^WTI, winding, (\d+\.\d °C|NO DATA)/);
  await door.signOut();
});

test('a point is chosen, and what is wrong with it is listed beside its chart', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await open('eereportsnew', 'asset', at.feeder.assetId, 'ee.quality-check');
  await page.getByTestId('check-row').first().waitFor(PATIENCE);
  const row = page.getByTestId('check-row').filter({ hasText: '(Iy)' });
  await row.getByRole('button').click();
  await page.locator('.analysis-halves .chart-box').waitFor(PATIENCE);
  assert.equal(await row.getByRole('button').getAttribute('aria-pressed'), 'true');
  await page.getByRole('heading', { name: /^What is wrong with/ }).waitFor(PATIENCE);
  await door.signOut();
});

test('place and tab stand in the address: they come back with it, and going back leads to the place before', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await open('eereportsnew', 'substation', at.substation);
  await page.getByTestId('tab-ee.forecast').click();
  await page.waitForURL(/tab=ee\.forecast/, PATIENCE);
  await page.getByTestId('select-level').selectOption({ label: 'Asset' });
  await page.getByTestId('select-node').click(PATIENCE);
  await page.getByTestId('select-node').fill('33/11 quayside f3');
  await page.keyboard.press('Enter');
  await page.waitForURL(/level=asset&node=\d+&tab=ee\.forecast/, PATIENCE);
  await page.getByTestId('tab-ee.quality-check').waitFor(PATIENCE);
  await page.reload();
  await page
    .getByTestId('breadcrumb')
    .filter({ hasText: /Quayside › F3/ })
    .waitFor(PATIENCE);
  assert.equal(await page.getByTestId('tab-ee.forecast').getAttribute('aria-selected'), 'true');
  await page.goBack();
  await page
    .getByTestId('breadcrumb')
    .filter({ hasText: /Quayside$/ })
    .waitFor(PATIENCE);
  assert.equal(await page.getByTestId('tab-ee.quality-check').count(), 0);
  await open('eereportsnew', 'substation', at.substation);
  await page.goto(`${base}/eereportsnew?level=substation&node=999999`);
  await page.getByText('The place in this address is none that you may see.').waitFor(PATIENCE);
  assert.deepEqual(await tabs(), []);
  await door.signOut();
});

test('See Details of a breaker lands on the line in its bay, with its tabs', async () => {
  const { page } = browser;
  await door.signedIn('viewer');
  await page.goto(`${base}/dashboard?location=${at.substation}&tab=sld`);
  await page.waitForFunction(() => window.__switchyard?.elements?.().some((element) => element.name === 'F6CB'), null, PATIENCE);
  await page.waitForFunction(() => window.__switchyard.elements().every((element) => element.live), null, PATIENCE);
  const { x, y } = await stillAt(page, 'F6CB');
  await page.mouse.click(x, y, { button: 'right' });
  await page.getByTestId('menu-details').click(PATIENCE);
  await page.waitForURL(/\/eereportsnew\?q=/, PATIENCE);
  await page
    .getByTestId('breadcrumb')
    .filter({ hasText: /Quayside › F6/ })
    .waitFor(PATIENCE);
  await page.getByTestId('tab-ee.quality-check').waitFor(PATIENCE);
  assert.deepEqual(await tabs(), [...EE, 'Quality Check']);
  await door.signOut();
});

test('where the utility wants it, the asset screen is the analytics', async () => {
  const { page } = browser;
  const variant = async (label) => {
    await door.signedIn('admin');
    await page.goto(`${base}/administration?tab=utility`);
    await page.getByLabel('Asset screen').selectOption({ label }, PATIENCE);
    await page.getByTestId('utility-save').click();
    await page.getByText('Changed. It holds from the next sign-in or reload.').waitFor(PATIENCE);
    await door.signOut();
  };
  await variant('alternative');
  await door.signedIn('operator');
  await open('asset', 'asset', at.transformer.assetId);
  assert.deepEqual(await tabs(), ['Live Readings', 'Permissible Loading', 'Battery']);
  await door.signOut();
  await variant('standard');
  await door.signedIn('operator');
  await page.goto(`${base}/asset`);
  await page.getByTestId('figures').waitFor(PATIENCE);
  await door.signOut();
});

test('an administrator enters the rating of a transformer, is told what is wrong with one, and finds it again', async () => {
  const { page } = browser;
  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=ratings`);
  const row = page.getByTestId(`rating-${at.transformer.assetId}`);
  await row.getByRole('button').click(PATIENCE);
  await page.getByTestId('rating-oilAlarmC').fill('88');
  await page.getByTestId('rating-oilTripC').fill('80');
  await page.getByTestId('rating-save').click();
  await page
    .getByRole('alert')
    .filter({ hasText: /oilTripC/ })
    .waitFor(PATIENCE);
  await page.getByTestId('rating-oilTripC').fill('98.5');
  await page.getByTestId('rating-save').click();
  await page.getByText('The rating holds from now on.').waitFor(PATIENCE);
  await page.reload();
  await row.getByRole('button').click(PATIENCE);
  assert.equal(await page.getByTestId('rating-oilTripC').inputValue(), '98.5');
  assert.deepEqual(await door.findings('ratings'), []);
  await door.signOut();
});
