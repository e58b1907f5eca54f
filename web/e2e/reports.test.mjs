// The export of reports in a real browser with the demo: all reports and frequencies of the catalogue, by pointer and by keyboard only, the rules of
// the buttons, rows and files, and a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { aPointer, askedFor, completions, eachOnce, fillIn, keysAlone, questionsOf } from './reports-hands.mjs';

let product;
let browser;
let page;
let base;
let door;
/** Sends REST requests as the operator. */
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
  const post = async (path, body) => {
    const answer = await fetch(`${base}/api/${path}`, { method: 'POST', headers: { Authorization: `Bearer ${me.token}`, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  return Object.assign(own, { me, post });
}

const at = (testId) => page.getByTestId(testId).first();
const isOff = (testId) => at(testId).isDisabled();
/** Waits until a list contains the server's answer. */
const filled = (testId, value) => page.waitForFunction(([testId, value]) => [...(document.querySelector(`[data-testid=${testId}]`)?.options ?? [])].some((option) => option.value === value), [testId, String(value)], PATIENCE);

async function select(testId, value) {
  await filled(testId, value);
  await at(testId).selectOption(String(value));
}

async function opened() {
  await page.goto(`${base}/exportreports`);
  await filled('report-level', 'substation');
  // The tests begin without the place that the role selects.
  await page.waitForFunction(() => document.querySelector('[data-testid=report-level]').value !== '', null, PATIENCE);
  await at('report-level').selectOption('');
}

/** Selects the first place of a list that allows several. */
async function place(level = 'substation', testId = 'report-location') {
  await select('report-level', level);
  await page.waitForFunction((testId) => !document.querySelector(`[data-testid=${testId}]`).disabled, testId, PATIENCE);
  await at(testId).click();
  await page.locator('li[role=option] small').first().click();
  await at(testId).press('Escape');
}

/** Selects a report, its type if there are two, and a frequency. */
async function report({ ReportId, Historic, RealTime }, frequency) {
  await select('report-report', ReportId);
  await filled('report-type', Historic ? 'Historic' : 'RealTime');
  if (Historic && RealTime) await select('report-type', 'Historic');
  if (frequency !== undefined) await select('report-frequency', frequency);
}

const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** Returns the request and the answer during an action. */
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

test('every report is asked for with each of its frequencies and in the present, and the server understands it', async () => {
  await door.signedIn('admin');
  const askAdmin = await asking('admin');
  const known = (await askAdmin('pfcreport/reportfrequencylist')).map(({ ReportFrequencyListId }) => ReportFrequencyListId);
  assert.deepEqual(known.toSorted(), Object.keys(completions()).map(Number).toSorted(), 'the screen can ask with every frequency that there is');
  const all = await askAdmin('pfcreport/reportslist');
  assert.ok(all.length > 0, 'the demo has reports');
  const walked = new Set();
  const hand = aPointer(page);
  // Reports about the whole utility are only in the list of the level of the utility.
  for (const level of ['location', 'client']) {
    const listed = (await askAdmin(`pfcreport/reportslistbyrole/${level}/${askAdmin.me.clientId}`)).filter(({ ReportId }) => !walked.has(ReportId));
    await opened();
    if (level === 'location') await place();
    else await select('report-level', 'client');
    const questions = questionsOf(listed);
    // What the screen sends depends on the frequency, not on the report. Combinations that it does not go through are sent in the same form.
    const sentWith = new Map();
    const onScreen = eachOnce(questions);
    for (const question of onScreen) {
      await fillIn(hand, question);
      assert.equal(await page.getByTestId('report-frequency').count(), question.frequency === null ? 0 : 1, 'the present has no frequency');
      const { reportType, levelId, frequency, frequencyValue } = (await askedFor(page, hand, question, level)).sent;
      sentWith.set(question.frequency, { level, reportType, levelId, frequency, frequencyValue });
    }
    for (const { report, frequency } of questions.filter((question) => !onScreen.includes(question))) {
      const { status, text } = await askAdmin.post('reports/show', { ...sentWith.get(frequency), report: report.ReportKey });
      assert.equal(status, 200, `${report.ReportKey}, frequency ${frequency}, ${level}: ${text}`);
    }
    questions.forEach(({ report }) => walked.add(report.ReportId));
  }
  assert.deepEqual([...walked].toSorted(), all.map(({ ReportId }) => ReportId).toSorted(), 'every report of the catalogue');
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('the inputs of a report are there with what is past, say their default, and are sent', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  const { reports } = await lists();
  const hand = aPointer(page);
  for (const own of reports) {
    const { input } = await ask(`pfcreport/reportdetails/${own.ReportId}`);
    if (!input) continue;
    // Sample minutes require a frequency with dates.
    const question = questionsOf([own]).find(({ frequency }) => frequency !== null && (input !== 'sampleMinutes' || frequency === 6 || frequency === 7));
    if (!question) continue;
    await fillIn(hand, question);
    const field = page.getByTestId(`input-${input}`);
    if (input === 'sampleMinutes' && own.ReportId === 37 && !ask.me.showGDSData) {
      assert.equal(await field.count(), 0, 'sample minutes of GDS are for who has its data');
      continue;
    }
    await field.waitFor(PATIENCE);
    const { sent: first } = await askedFor(page, hand, question, 'location');
    assert.deepEqual(first[input], { excludeMomentary: true, limit: 5, sampleMinutes: 15 }[input], own.ReportKey);
    if (input === 'excludeMomentary') {
      const meaning = page.locator(`[id="${await field.getAttribute('aria-describedby')}"]`);
      assert.match((await meaning.textContent()) ?? '', /MAIFI .* SAIDI, SAIFI and CAIDI count sustained outages only/, 'a switch says what it changes');
      await field.uncheck();
    }
    else if (input === 'limit') await field.fill('1');
    else await field.selectOption(input === 'quantity' ? 'current' : '60');
    const { sent: second } = await askedFor(page, hand, question, 'location');
    assert.deepEqual(second[input], { excludeMomentary: false, limit: 1, sampleMinutes: 60, quantity: 'current' }[input], own.ReportKey);
    if (own.RealTime) {
      await hand.choose('report-type', 'RealTime');
      assert.equal(await field.count(), 0, 'the present has no inputs');
    }
  }
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
    await page.locator('.toasts').filter({ hasText: 'Your report getting download, Please check on your local drive.' }).waitFor(PATIENCE);
  }
  await door.signOut();
});

test('a refusal is told in the words of the server, and a slow file can be given up', async () => {
  await door.signedIn('operator');
  await opened();
  await place();
  const { reports } = await lists();
  await report(reports.find(({ ReportKey }) => ReportKey === 'EE_HOURLY_FEEDER_LOG'), 7);
  // Slow and refused requests are simulated here, because this form cannot cause them on the server.
  await page.route('**/api/reports/show', (route) => route.fulfill({ status: 429, json: { statusCode: 429, message: 'Four reports are being made. Try again in a minute.', result: null } }));
  await at('show-data').click();
  await at('report-problem').filter({ hasText: 'Four reports are being made.' }).waitFor(PATIENCE);
  await page.locator('.toasts [data-kind=error]').filter({ hasText: 'Something went wrong...' }).waitFor(PATIENCE);
  await page.unroute('**/api/reports/show');
  let go;
  const held = new Promise((give) => (go = give));
  await page.route('**/api/reports/download**', async (route) => {
    await held;
    // The page has cancelled the request by then.
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

test('the keys alone lead from the level to every report and every frequency, and to a file', async () => {
  await door.signedIn('operator');
  await opened();
  const keys = keysAlone(page);
  const press = async (...names) => {
    for (const name of names) await page.keyboard.press(name);
  };
  await keys.choose('report-level', 'substation');
  await page.waitForFunction(() => !document.querySelector('[data-testid=report-location]').disabled, null, PATIENCE);
  await keys.to('report-location');
  await press('ArrowDown', 'ArrowDown', 'Enter', 'Escape');
  const { reports } = await lists();
  const questions = eachOnce(questionsOf(reports));
  for (const question of questions) {
    await fillIn(keys, question);
    await askedFor(page, keys, question, 'location');
  }
  await keys.choose('download-format', 'xlsx');
  const own = reports.find(({ ReportKey }) => ReportKey === 'EE_HOURLY_FEEDER_LOG');
  await fillIn(keys, { report: own, frequency: 7 });
  await keys.to('download');
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), press('Enter')]);
  assert.match(download.suggestedFilename(), /\.xlsx$/);
  // The focus is still on the button.
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-testid')), 'download');
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
