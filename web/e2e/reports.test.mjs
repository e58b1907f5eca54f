// The export of reports in a real browser over the demo: every report and frequency, the rules of the buttons, rows and files, keyboard alone, a
// phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let page;
let base;
let door;
/** Questions over REST by the operator. */
let ask;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  page = browser.page;
  door = aDoor(page, base);
  ask = await asking('operator');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

beforeEach(() => browser.errors.splice(0));

async function asking(username) {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username, password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const own = (path) =>
    fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${me.token}` } })
      .then((answer) => answer.json())
      .then(({ result }) => result);
  return Object.assign(own, { me });
}

const at = (testId) => page.getByTestId(testId).first();
const isOff = (testId) => at(testId).isDisabled();
/** A select has been filled with what the server answered. */
const filled = (testId, value) => page.waitForFunction(([testId, value]) => [...(document.querySelector(`[data-testid=${testId}]`)?.options ?? [])].some((option) => option.value === value), [testId, String(value)], PATIENCE);

async function select(testId, value) {
  await filled(testId, value);
  await at(testId).selectOption(String(value));
}

async function opened() {
  await page.goto(`${base}/exportreports`);
  await filled('report-level', 'substation');
}

/** The first place of a list that takes several. */
async function place(level = 'substation', testId = 'report-location') {
  await select('report-level', level);
  await page.waitForFunction((testId) => !document.querySelector(`[data-testid=${testId}]`).disabled, testId, PATIENCE);
  await at(testId).click();
  await page.locator('li[role=option] small').first().click();
  await at(testId).press('Escape');
}

/** Chooses a report, its type if there are two, and a frequency. */
async function report({ ReportId, Historic, RealTime }, frequency) {
  await select('report-report', ReportId);
  await filled('report-type', Historic ? 'Historic' : 'RealTime');
  if (Historic && RealTime) await select('report-type', 'Historic');
  if (frequency !== undefined) await select('report-frequency', frequency);
}

/** Values that make each frequency complete; the demo's past is short. */
const year = new Date().getFullYear();
const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const COMPLETE = {
  1: [],
  2: [['part-month', new Date().getMonth() + 1], ['part-year', year]],
  3: [['part-quarter', 4], ['part-year', year]],
  4: [['part-financialYear', `${year}-${year + 1}`]],
  5: [],
  6: [['part-from', day], ['part-to', day]],
  7: [],
  9: [],
};

const enter = (testId, value) => (/part-(from|to|date)/.test(testId) ? at(testId).fill(String(value)) : select(testId, value));

/** What the server was asked and said while something was done. */
async function asked(path, act) {
  const [answer] = await Promise.all([page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().includes(`/api/reports/${path}`), PATIENCE), act()]);
  return { status: answer.status(), sent: answer.request().postDataJSON(), answer };
}

const lists = async () => ({ client: ask.me.clientId, reports: await ask(`pfcreport/reportslistbyrole/location/${ask.me.clientId}`), frequencies: await ask('pfcreport/reportfrequencylist') });

test('nothing can be asked for before everything is chosen, and each step says what is missing', async () => {
  await door.signedIn('operator');
  await opened();
  const steps = [];
  const look = async () => steps.push([await isOff('show-data'), await isOff('download'), (await at('report-missing').innerText()).replace(/^Please /, '')]);
  await look();
  for (const testId of ['report-area', 'report-location', 'report-feeder']) assert.equal(await isOff(testId), true, testId);
  await select('report-level', 'division');
  await page.waitForFunction(() => !document.querySelector('[data-testid=report-area]').disabled, null, PATIENCE);
  assert.deepEqual([await isOff('report-location'), await isOff('report-feeder')], [true, true], 'Division has no location and no feeder');
  await look();
  await place();
  assert.equal(await isOff('report-feeder'), true, 'a location has no feeder');
  await look();
  const { reports } = await lists();
  const own = reports.find(({ Historic, ReportFrequencyListIds }) => Historic && ReportFrequencyListIds.includes(6));
  await report(own);
  await look();
  await select('report-frequency', 6);
  await look();
  await at('part-from').fill(day);
  await look();
  await at('part-to').fill('2020-01-01');
  await look();
  await at('part-to').fill(day);
  await look();
  assert.deepEqual(steps, [
    [true, true, 'select a report level.'],
    [true, true, 'select a place.'],
    [true, true, 'select a report.'],
    [true, true, 'select a frequency.'],
    [true, true, 'choose the first day.'],
    [true, true, 'choose the last day.'],
    [true, true, 'correct the field that is marked.'],
    [false, false, ''],
  ]);
  assert.equal(await at('download-format').inputValue(), 'pdf');
  await door.signOut();
});

test('every report is asked for with each of its frequencies, and the server understands it', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  const { reports } = await lists();
  assert.ok(reports.length > 0, 'the demo has reports');
  for (const own of reports.filter(({ Historic }) => Historic)) {
    for (const frequency of own.ReportFrequencyListIds) {
      const name = `${own.ReportKey}, frequency ${frequency}`;
      await report(own, frequency);
      for (const [testId, value] of COMPLETE[frequency]) await enter(testId, value);
      const { status, sent, answer } = await asked('show', () => at('show-data').click());
      assert.equal(status, 200, `${name}: ${await answer.text()}`);
      assert.deepEqual([sent.report, sent.reportType, sent.level, sent.levelId.length, sent.frequency], [own.ReportKey, 'historic', 'location', 1, frequency], name);
      const { columns: head, rows } = (await answer.json()).result;
      await (rows.length > 0 ? at('report-row') : at('report-nothing')).waitFor(PATIENCE);
      if (rows.length > 0) assert.equal(await page.locator('[data-testid=report-rows] thead th').count(), head.length, name);
    }
  }
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('anything that is changed takes the shown rows away', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  const { reports } = await lists();
  const own = reports.find(({ ReportKey }) => ReportKey === 'EE_HOURLY_FEEDER_LOG');
  await report(own, 6);
  const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const today = new Date().toISOString().slice(0, 10);
  await at('part-from').fill(from);
  await at('part-to').fill(today);
  await asked('show', () => at('show-data').click());
  await at('report-row').waitFor(PATIENCE);
  await at('part-to').fill(day);
  await at('report-nothing').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('report-row').count(), 0);
  await door.signOut();
});

test('a report is a file of each format, with a name of its own and its time', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  const { reports } = await lists();
  await report(reports.find(({ ReportKey }) => ReportKey === 'EE_HOURLY_FEEDER_LOG'), 6);
  await at('part-from').fill(new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10));
  await at('part-to').fill(new Date().toISOString().slice(0, 10));
  const begins = { pdf: '%PDF', xlsx: 'PK', xls: '\xd0\xcf\x11\xe0', csv: '' };
  for (const [format, sign] of Object.entries(begins)) {
    await at('download-format').selectOption(format);
    const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), at('download').click()]);
    assert.match(download.suggestedFilename(), new RegExp(`_\\d{4}-\\d\\d-\\d\\d_\\d\\d-\\d\\d-\\d\\d\\.${format}$`));
    const bytes = readFileSync(await download.path()).toString('latin1');
    assert.ok(bytes.length > 20 && bytes.startsWith(sign), format);
    await page.locator('.toasts').filter({ hasText: 'Report downloaded successfully' }).waitFor(PATIENCE);
  }
  await door.signOut();
});

test('a refusal is told in the words of the server, and a slow file can be given up', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  const { reports } = await lists();
  await report(reports.find(({ ReportKey }) => ReportKey === 'EE_HOURLY_FEEDER_LOG'), 7);
  // The network that is slow or refuses is made here; what the server itself refuses it cannot be brought to from this form.
  await page.route('**/api/reports/show', (route) => route.fulfill({ status: 429, json: { statusCode: 429, message: 'Four reports are being made. Try again in a minute.', result: null } }));
  await at('show-data').click();
  await at('report-problem').filter({ hasText: 'Four reports are being made.' }).waitFor(PATIENCE);
  await page.locator('.toasts [data-kind=error]').filter({ hasText: 'Something went wrong...' }).waitFor(PATIENCE);
  await page.unroute('**/api/reports/show');
  let go;
  const held = new Promise((give) => (go = give));
  await page.route('**/api/reports/download**', async (route) => {
    await held;
    // The page has given it up by then.
    await route.abort().catch(() => undefined);
  });
  await at('download').click();
  await at('download-progress').filter({ hasText: 'being made' }).waitFor(PATIENCE);
  await at('download-cancel').click();
  await at('report-missing').filter({ hasText: 'Download cancelled. Nothing is kept.' }).waitFor(PATIENCE);
  go();
  await page.unroute('**/api/reports/download**');
  assert.equal(await isOff('download'), false);
  await door.signOut();
});

test('the keyboard alone leads from level to rows and to a file', async () => {
  await door.signedIn('operator');
  await opened();
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const on = () => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
  /** Tab, until the focus is there. */
  const to = async (testId) => {
    for (let count = 0; count < 60 && (await on()) !== testId; count += 1) await press('Tab');
    assert.equal(await on(), testId);
  };
  await at('report-level').focus();
  // Lists take the letters of their entries.
  const level = await page.locator('[data-testid=report-level] option[value=substation]').innerText();
  await page.keyboard.type(level);
  await page.waitForFunction(() => !document.querySelector('[data-testid=report-location]').disabled, null, PATIENCE);
  await to('report-location');
  await press('ArrowDown', 'ArrowDown', 'Enter', 'Escape');
  const { reports } = await lists();
  const own = reports.find(({ ReportKey }) => ReportKey === 'EE_HOURLY_FEEDER_LOG');
  await filled('report-report', own.ReportId);
  await to('report-report');
  await page.keyboard.type(own.ReportName);
  await filled('report-frequency', 7);
  await to('report-frequency');
  await page.keyboard.type('Single');
  await to('show-data');
  const { status } = await asked('show', () => press('Enter'));
  assert.equal(status, 200);
  await to('download-format');
  await page.keyboard.type('XLSX');
  await to('download');
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), press('Enter')]);
  assert.match(download.suggestedFilename(), /\.xlsx$/);
  await door.signOut();
});

test('axe finds nothing against WCAG A and AA in either theme, and a phone does not scroll sideways', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  assert.deepEqual(await door.findings('reports'), []);
  await page.setViewportSize({ width: 400, height: 850 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px are beside the page`);
  assert.deepEqual(await door.findings('reports on a phone'), []);
  await page.setViewportSize({ width: 1600, height: 1000 });
  await door.signOut();
});
