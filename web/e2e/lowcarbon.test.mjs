// The low-carbon optimiser in a real browser with the demo's site: the plan on opening, the form, valid and invalid demand files, what-if,
// tomorrow, files of charts, administration of sites, and accessibility, also on a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

/** The device id of the demo's site, which is the specification's default. */
const DEVICE = 12_193;
const FIELDS = [
  'BatteryCapacityMaxKwh',
  'BatteryCapacityMinKwh',
  'BatteryChargeRateKw',
  'BatteryDischargeRateKw',
  'ChargingStartTimeHours',
  'ChargingEndTimeHours',
  'DischargingStartTimeHours',
  'DischargingEndTimeHours',
  'SolarCapacityKwp',
  'lat',
  'lon',
  'Objective',
  'deviceId',
];

let product;
let browser;
let page;
let base;
let door;
/** The configuration of the demo's site, and a substation without a site. */
let own;
let elsewhere;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  page = browser.page;
  door = aDoor(page, base);
  const ask = await asking('super');
  const sites = await ask(`lowcarbon/sites/client/${ask.me.clientId}`);
  own = await ask(`lowcarbon/site/${DEVICE}`);
  const places = await ask(`substation/substationsbyclient/${ask.me.clientId}`);
  elsewhere = places.find(({ AssetPointId }) => sites.every(({ locationId }) => locationId !== AssetPointId));
  // The demo generates its history while it runs, newest day first. The tests start when the site has data of yesterday.
  for (const deadline = Date.now() + 300_000; ; await new Promise((wake) => setTimeout(wake, 1_000))) {
    const answer = await fetch(`${base}/api/optimisebattery/${DEVICE}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ask.me.token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (answer.ok && (await answer.json()).result.historical?.stats.site != null) break;
    assert.ok(Date.now() < deadline, 'the site has no yesterday after 300 s');
  }
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

beforeEach(() => browser.errors.splice(0));

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

const isRun = (request) => request.method() === 'POST' && /\/api\/optimisebattery\/-?\d+(\/compare)?$/.test(request.url());

/** Returns the request and the answer of a run during an action. */
async function ran(act) {
  const [answer] = await Promise.all([page.waitForResponse((answer) => isRun(answer.request()), PATIENCE), act()]);
  const body = await answer.json();
  return { status: answer.status(), sent: answer.request().postDataJSON(), message: body.message, result: body.result };
}

const rest = () =>
  page.waitForFunction(
    () => document.querySelector('.chart-panel') && [...document.querySelectorAll('.chart-panel, .results')].every((part) => part.getAttribute('aria-busy') === 'false'),
    null,
    PATIENCE,
  );

/** Opens the optimiser of the demo's site. Returns the run. */
async function opened() {
  const run = await ran(() => page.goto(`${base}/lowcarbon?level=substation&node=${own.site.locationId}&site=${DEVICE}`));
  await page.getByTestId('site-stats').waitFor(PATIENCE);
  await rest();
  return run;
}

const text = (testId) => page.getByTestId(testId).first().innerText();
const field = (name) => page.getByTestId(`field-${name}`);
const submit = () => ran(() => page.getByTestId('optimiser-submit').click());
const shown = (value) => (value === null ? '–' : value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace('-', '−'));
const csv = (lines) => ({ name: 'demand.csv', mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) });
const flat = (kw) => csv(Array.from({ length: 48 }, () => String(kw)));

for (const who of ['operator', 'viewer']) {
  test(`${who} sees the day planned with the site's own parameters as soon as it opens`, async () => {
    await door.signedIn(who);
    const { status, sent, result } = await opened();
    assert.equal(status, 200);
    for (const name of FIELDS) {
      assert.equal(await field(name).inputValue(), String(own.parameters[name]), name);
      assert.equal(sent[name], own.parameters[name], name);
    }
    const rows = ['site', 'solar', 'grid_import', 'grid_export', 'battery_charge', 'battery_discharge'];
    for (const row of rows) {
      const cells = await page.getByTestId(`stat-${row}`).locator('td').allTextContents();
      assert.deepEqual(cells, [shown(result.stats[row]), shown(result.historical?.stats[row] ?? null)], row);
    }
    const heads = await page.getByTestId('site-stats').locator('th.number').allTextContents();
    assert.equal(heads[0], 'Forecast Today');
    assert.match(heads[1], new RegExp(`^Reported Yesterday \\w{3}, ${result.historical.day.slice(8)} \\w+ ${result.historical.day.slice(0, 4)}$`));
    assert.equal(await text('cost'), `${shown(result.cost)} ${result.currency}`);
    assert.equal(await text('saving'), `${shown(result.saving)} ${result.currency}`);
    assert.equal(await page.locator('.main [role=tab]').count(), 0, 'the optimiser takes the place of the tabs');
    for (const title of ['Energy Consumption Historical', 'Energy Consumption Forecast', 'Power Flow Historical', 'Power Flow Forecast']) {
      assert.equal(await page.locator('.chart-panel h3').filter({ hasText: title }).count(), 1, title);
    }
    assert.deepEqual(browser.errors, []);
    await door.signOut();
  });
}

test('what was reported yesterday adds up in each half hour that is known', async () => {
  await door.signedIn('operator');
  const { historical } = (await opened()).result;
  assert.ok(historical, 'the demo has a yesterday');
  const { Base_Demand_Kw, PV_Generation_Kw, Battery_Charge_Discharge_Kw, NetDemand_Kw } = historical.results;
  const known = NetDemand_Kw.flatMap((net, slot) => (net === null || Base_Demand_Kw[slot] === null || PV_Generation_Kw[slot] === null || Battery_Charge_Discharge_Kw[slot] === null ? [] : [slot]));
  assert.ok(known.length > 0, 'some half hours are known');
  for (const slot of known) {
    const balance = Base_Demand_Kw[slot] - PV_Generation_Kw[slot] + Battery_Charge_Discharge_Kw[slot] - NetDemand_Kw[slot];
    assert.ok(Math.abs(balance) < 0.05 * Math.max(1, Math.abs(Base_Demand_Kw[slot])), `slot ${slot}: ${balance} kW are nowhere`);
  }
  await door.signOut();
});

test('time fields ignore what is no half hour, and show the clock; other fields are told of at Submit', async () => {
  await door.signedIn('operator');
  await opened();
  const time = field('ChargingStartTimeHours');
  await time.fill('');
  await time.pressSequentially('-07.5e');
  assert.equal(await time.inputValue(), '0');
  await time.fill('');
  await time.pressSequentially('44');
  assert.equal(await time.inputValue(), '44');
  await field('ChargingEndTimeHours').fill('4');
  assert.equal(await text('window-ChargingStartTimeHours'), '22:00 to 02:00, over midnight');
  const runs = [];
  const count = (request) => isRun(request) && runs.push(request.url());
  page.on('request', count);
  await field('BatteryChargeRateKw').fill('fast');
  await page.getByTestId('optimiser-submit').click();
  await page.getByText('Please enter a number, such as 12.5.').waitFor(PATIENCE);
  assert.equal(await field('BatteryChargeRateKw').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(runs, [], 'nothing is sent');
  page.off('request', count);
  await field('BatteryChargeRateKw').fill('40.5');
  const { status, sent } = await submit();
  assert.deepEqual([status, sent.ChargingStartTimeHours, sent.ChargingEndTimeHours, sent.BatteryChargeRateKw], [200, 44, 4, 40.5]);
  await page.getByTestId('optimiser-reset').click();
  assert.equal(await field('BatteryChargeRateKw').inputValue(), String(own.parameters.BatteryChargeRateKw));
  await door.signOut();
});

test('what the server refuses is told in its words, at its field, and the last plan stays and looks stale', async () => {
  await door.signedIn('operator');
  await opened();
  const before = await text('cost');
  await field('BatteryCapacityMinKwh').fill('1000');
  const { status, message } = await submit();
  assert.equal(status, 400);
  assert.match(message, /BatteryCapacityMinKwh/);
  assert.equal(await text('optimiser-problem'), message);
  assert.equal(await field('BatteryCapacityMinKwh').getAttribute('aria-invalid'), 'true');
  await page.getByTestId('stale-plan').waitFor(PATIENCE);
  assert.equal(await text('cost'), before);
  await page.getByTestId('optimiser-reset').click();
  await page.getByTestId('stale-plan').waitFor({ ...PATIENCE, state: 'detached' });
  assert.deepEqual([await text('optimiser-problem'), await text('old-plan')], ['', '']);
  assert.equal(await field('BatteryCapacityMinKwh').getAttribute('aria-invalid'), 'false');
  await field('BatteryCapacityMinKwh').fill('1');
  await page.getByTestId('old-plan').filter({ hasText: 'The form says something else since this plan.' }).waitFor(PATIENCE);
  await door.signOut();
});

test('without the sun there is none of it', async () => {
  await door.signedIn('operator');
  await opened();
  await field('Objective').selectOption('cost_without_solar');
  const { result } = await submit();
  assert.ok(result.results.PV_Generation_Kw.every((kw) => kw === 0));
  await page.getByTestId('stat-solar').filter({ hasText: '0.00' }).waitFor(PATIENCE);
  await door.signOut();
});

test('a demand file is sent first, and the day is that of the file; the same file is not sent twice', async () => {
  await door.signedIn('operator');
  await opened();
  assert.equal(await page.getByTestId('demand-file').count(), 0);
  await page.getByTestId('has-file').check();
  const runs = [];
  const seen = (request) => isRun(request) && runs.push(request.url());
  page.on('request', seen);
  await page.getByTestId('optimiser-submit').click();
  await page.getByTestId('file-problem').filter({ hasText: 'Please choose the file, or untick the box.' }).waitFor(PATIENCE);
  assert.equal(await page.getByTestId('demand-file').getAttribute('aria-invalid'), 'true');
  await page.getByTestId('what-if-open').click();
  assert.equal(await page.getByTestId('what-if-compare').isDisabled(), true);
  await page.getByTestId('what-if-close').click();
  assert.equal(await page.getByTestId('what-if-open').evaluate((opener) => opener === document.activeElement), true);
  assert.deepEqual(runs, [], 'nothing is sent');
  page.off('request', seen);
  await page.getByTestId('demand-file').setInputFiles(flat(40));
  const uploads = [];
  const count = (request) => request.url().endsWith('/demandfile') && uploads.push(request.method());
  page.on('request', count);
  const { status, sent, result } = await submit();
  assert.equal(status, 200);
  assert.match(sent.demandFile, /^[\w-]{20,}$/);
  assert.equal(result.demandFrom, 'file');
  // 48 half hours of 40 kW are 960 kWh.
  await page.getByTestId('stat-site').filter({ hasText: '960.00' }).waitFor(PATIENCE);
  await page.getByTestId('file-taken').filter({ hasText: 'Taken: one day of 48 half hours.' }).waitFor(PATIENCE);
  assert.equal((await submit()).sent.demandFile, sent.demandFile);
  assert.deepEqual(uploads, ['POST']);
  page.off('request', count);
  await page.getByTestId('has-file').uncheck();
  assert.equal((await submit()).sent.demandFile, undefined);
  await door.signOut();
});

test('a faulty file is told of line by line and in a toast; one that is no CSV is not even sent', async () => {
  await door.signedIn('operator');
  await opened();
  await page.getByTestId('has-file').check();
  const lines = Array.from({ length: 48 }, () => '40');
  lines[2] = 'n/a';
  lines[16] = '-x';
  await page.getByTestId('demand-file').setInputFiles(csv(lines));
  const [answer] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/demandfile'), PATIENCE),
    page.getByTestId('optimiser-submit').click(),
  ]);
  assert.equal(answer.status(), 400);
  const { message } = await answer.json();
  await page.locator('.toasts [data-kind=error]').filter({ hasText: message }).waitFor(PATIENCE);
  const told = await page.getByTestId('file-faults').locator('tbody tr').allTextContents();
  assert.equal(told.length, 2);
  assert.ok(told[0].startsWith('3') && told[1].startsWith('17'), told.join('\n'));
  const uploads = [];
  const count = (request) => request.url().endsWith('/demandfile') && uploads.push(request.url());
  page.on('request', count);
  await page.getByTestId('demand-file').setInputFiles({ name: 'demand.xlsx', mimeType: 'application/octet-stream', buffer: Buffer.from('PK') });
  await page.getByText('demand.xlsx is no CSV file. Save it as CSV first.').waitFor(PATIENCE);
  await page.getByTestId('optimiser-submit').click();
  await page.getByTestId('demand-file').setInputFiles({ name: 'demand.csv', mimeType: 'text/csv', buffer: Buffer.alloc(5 * 1024 * 1024 + 60_000, '1\n') });
  await page.getByText('demand.csv has 5.1 MiB; up to 5 MiB.').waitFor(PATIENCE);
  await page.getByTestId('optimiser-submit').click();
  assert.deepEqual(uploads, []);
  page.off('request', count);
  // Selecting another file removes the faults.
  assert.equal(await page.getByTestId('file-faults').count(), 0);
  await page.getByTestId('has-file').uncheck();
  assert.equal(await page.getByTestId('demand-file').count(), 0);
  assert.equal((await submit()).status, 200);
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('tomorrow is planned with its own day, and called so', async () => {
  await door.signedIn('operator');
  const { result } = await opened();
  const { sent, result: next } = await ran(() => page.getByTestId('day-tomorrow').click());
  assert.equal(sent.day, 'tomorrow');
  assert.equal(Date.parse(next.day) - Date.parse(result.day), 86_400_000);
  await page.getByTestId('site-stats').locator('th').filter({ hasText: 'Forecast Tomorrow' }).waitFor(PATIENCE);
  await door.signOut();
});

test('what if: two sets of parameters side by side, with what differs', async () => {
  await door.signedIn('operator');
  await opened();
  await page.getByTestId('what-if-open').click();
  await page.getByTestId('what-if-compare').click();
  await page.getByText('Please change at least one parameter.').waitFor(PATIENCE);
  await page.getByTestId('changed-BatteryChargeRateKw').fill('fast');
  await page.getByTestId('what-if-compare').click();
  await page.getByText('Please enter a number, such as 12.5.').waitFor(PATIENCE);
  await page.getByTestId('what-if-again').click();
  assert.equal(await page.getByTestId('changed-BatteryChargeRateKw').getAttribute('aria-invalid'), 'false');
  assert.equal(await text('what-if-problem'), '');
  await page.getByTestId('changed-BatteryCapacityMaxKwh').fill('0');
  const { sent, result } = await ran(() => page.getByTestId('what-if-compare').click());
  assert.equal(sent.base.BatteryCapacityMaxKwh, own.parameters.BatteryCapacityMaxKwh);
  assert.equal(sent.changed.BatteryCapacityMaxKwh, 0);
  assert.ok(result.costDifference >= -0.01, 'no battery is not cheaper than one');
  const cells = await page.getByTestId('difference-cost').locator('td').allTextContents();
  assert.deepEqual(cells.slice(0, 2), [shown(result.base.cost), shown(result.changed.cost)]);
  assert.equal(cells[2].replace('+', ''), shown(result.costDifference));
  await field('SolarCapacityKwp').fill('10');
  await page.getByText('The form says something else since. Compare again.').waitFor(PATIENCE);
  await door.signOut();
});

test('a chart is a file of its 48 half hours', async () => {
  await door.signedIn('operator');
  const { result } = await opened();
  await page.getByRole('button', { name: 'Export Energy Consumption Forecast' }).click();
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.getByTestId('save-csv').click()]);
  const lines = readFileSync(await download.path(), 'utf8').trim().split(/\r?\n/);
  assert.ok(lines[0].endsWith('Half hour,Grid (kWh),Battery (kWh),Solar (kWh),Site (kWh)'), lines[0]);
  assert.equal(lines.length, 49);
  const noon = lines[25].split(',');
  assert.equal(noon[0], '12:00 to 12:30');
  assert.equal(Number(noon[1]), Number((result.results.NetDemand_Kw[24] / 2).toFixed(2)));
  assert.equal(Number(noon[4]), Number((result.results.Base_Demand_Kw[24] / 2).toFixed(2)));
  await door.signOut();
});

test('a place without a site says what an administrator has to do, and a site of another place is not taken', async () => {
  await door.signedIn('super');
  await page.goto(`${base}/lowcarbon`);
  await page.waitForURL(/level=division&node=\d+/, PATIENCE);
  await page.getByTestId('select-level').selectOption('');
  await page.getByText('Please select appropriate option to view data').waitFor(PATIENCE);
  await page.goto(`${base}/lowcarbon?level=substation&node=${elsewhere.AssetPointId}&site=${DEVICE}`);
  await page.getByTestId('no-site').filter({ hasText: 'An administrator enters one' }).waitFor(PATIENCE);
  await page.goto(`${base}/lowcarbon?level=substation&node=${own.site.locationId}&site=999999999`);
  await page.getByText('The site 999999999 of this address is not at this place.').waitFor(PATIENCE);
  await door.signOut();
});

test('an administrator enters a site, is told what is wrong with it, changes it and removes it', async () => {
  const device = 77_001;
  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=lowcarbon`);
  await page.getByTestId('low-carbon-new').click(PATIENCE);
  await page.getByTestId('low-carbon-save').click();
  assert.equal(await page.getByTestId('low-carbon-name').getAttribute('aria-invalid'), 'true');
  await page.getByTestId('low-carbon-name').fill('Pump house');
  await page.getByTestId('low-carbon-deviceId').fill(String(device));
  await page.getByTestId('low-carbon-locationId').selectOption(String(own.site.locationId));
  await page.getByTestId('low-carbon-mayExport').check();
  await page.getByTestId('importPrice-0').fill('5');
  await page.getByTestId('exportPrice-0').fill('6');
  await page.getByTestId('low-carbon-save').click();
  await page.getByText('Not above the import price.').waitFor(PATIENCE);
  const described = await page.getByTestId('exportPrice-0').getAttribute('aria-describedby');
  assert.equal(await page.locator(`[id="${described}"]`).innerText(), 'Not above the import price.');
  await page.getByTestId('exportPrice-0').fill('3');
  await page.getByTestId('band-add').click();
  await page.getByTestId('band-from-1').selectOption({ label: '18:00' });
  await page.getByTestId('importPrice-1').fill('9.5');
  await page.getByTestId('low-carbon-initialEnergyKwh').fill('500');
  await page.getByTestId('low-carbon-save').click();
  await page.getByTestId('low-carbon-problem').filter({ hasText: /nergy/ }).waitFor(PATIENCE);
  await page.getByTestId('low-carbon-initialEnergyKwh').fill('20');
  await page.getByTestId('low-carbon-save').click();
  const row = page.getByTestId(`low-carbon-${device}`);
  await row.filter({ hasText: 'INR, bands: 2' }).waitFor(PATIENCE);
  // The message appears before the row. It must have disappeared, or it would be taken for the message of the next save.
  const saved = page.getByText('Saved. The next run takes it.');
  await saved.waitFor({ state: 'detached', ...PATIENCE });
  const ask = await asking('admin');
  const { tariff, mayExport, initialEnergyKwh, chargeEfficiency } = await ask(`lowcarbon/site/${device}`);
  assert.deepEqual([tariff.importPrice[35], tariff.importPrice[36], tariff.exportPrice[47]], [5, 9.5, 3]);
  assert.deepEqual([mayExport, initialEnergyKwh, chargeEfficiency], [true, 20, 0.95]);
  await row.getByRole('button', { name: 'Change Pump house' }).click();
  assert.equal(await page.getByTestId('importPrice-1').inputValue(), '9.5');
  assert.deepEqual(await door.findings('low-carbon sites'), []);
  await page.getByTestId('low-carbon-mayExport').uncheck();
  await page.getByTestId('low-carbon-save').click();
  await saved.waitFor(PATIENCE);
  assert.equal((await ask(`lowcarbon/site/${device}`)).tariff.exportPrice, null);
  await page.goto(`${base}/lowcarbon?level=substation&node=${own.site.locationId}&site=${device}`);
  await page.getByTestId('select-site').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('select-site').inputValue(), String(device));
  await page.getByTestId('change-site').click();
  await page.getByRole('button', { name: 'Remove Pump house' }).click(PATIENCE);
  await page.getByTestId('low-carbon-remove').click();
  await row.waitFor({ state: 'detached', ...PATIENCE });
  await door.signOut();
});

test('axe finds nothing against WCAG A and AA in either theme, and a phone shows all of it without scrolling sideways', async () => {
  await door.signedIn('operator');
  await opened();
  await page.getByTestId('what-if-open').click();
  assert.deepEqual(await door.findings('low carbon'), []);
  await page.setViewportSize({ width: 400, height: 850 });
  await rest();
  const wide = await page.evaluate(() => document.querySelector('.lowcarbon').scrollWidth - document.querySelector('.lowcarbon').clientWidth);
  assert.ok(wide <= 0, `${wide} px are beside the page`);
  assert.deepEqual(await door.findings('low carbon on a phone'), []);
  await page.setViewportSize({ width: 1600, height: 1000 });
  await door.signOut();
});
