// Saved selections, schedules with their runs, links to files, and the monthly performance report, in a real browser with the demo.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { aPointer, keysAlone, shown } from './reports-hands.mjs';

/** A run waits for a free slot, and then for its rows. */
const A_RUN = { timeout: 90_000 };
let product;
let browser;
let page;
let base;
let door;
let at;
let hand;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1440, height: 900 });
  page = browser.page;
  door = aDoor(page, base);
  at = shown(page);
  hand = aPointer(page);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

beforeEach(() => browser.errors.splice(0));

const toast = (text) => page.locator('.toasts').filter({ hasText: text }).waitFor(PATIENCE);
const opened = async (tab) => {
  await page.goto(`${base}/exportreports?tab=${tab}`);
  await at(`tab-${tab}`).waitFor(PATIENCE);
};

/** Report id of the specification for which the demo's history always has rows. */
const HOURLY = 12;
/** The report of all values, which has the most rows. */
const EVERY_VALUE = 31;

/** Selects the first location and the hourly report of its feeders. */
async function hourly() {
  await hand.choose('report-level', 'substation');
  await page.waitForFunction(() => [...document.querySelectorAll('[data-testid=report-location]')].some((list) => list.checkVisibility() && !list.disabled), null, PATIENCE);
  await at('report-location').click();
  await page.locator('li[role=option]:visible small').first().click();
  await at('report-location').press('Escape');
  await hand.choose('report-report', HOURLY);
}

/** Sets whether the page of reports is read-only for the operator's role. */
async function onlyRead(isReadonly) {
  await page.goto(`${base}/administration?tab=pages`);
  await at('page-reports.export').getByRole('checkbox', { name: /^Only reads/ }).setChecked(isReadonly, PATIENCE);
  await at('pages-save').click();
  await toast('Changed.');
}

/** The test id of the focused element. */
const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
const isFocused = (testId) => page.waitForFunction((testId) => !document.querySelector('dialog[open]') && document.activeElement?.getAttribute('data-testid') === testId, testId, PATIENCE);

/** The number in a test id, such as 7 in `schedule-7`. */
const idIn = async (locator) => Number(/\d+/.exec(await locator.getAttribute('data-testid'))[0]);

test('a selection is saved, taken up again, renamed, and deleted after one question', async () => {
  await door.signedIn('operator');
  await opened('export');
  await hourly();
  await hand.choose('report-frequency', 7);
  await hand.choose('download-format', 'csv');
  const chosen = await at('report-location').inputValue();
  await at('saved-selections').click();
  await at('saved-save').click();
  await at('saved-name').fill('Feeders here');
  await at('saved-name-save').click();
  await toast('Feeders here is saved');
  assert.equal(await focused(), 'saved-selections', 'the focus is where it was');
  await page.reload();
  await at('saved-selections').click();
  await page.getByRole('menuitem', { name: 'Feeders here' }).click();
  await page.waitForFunction((text) => document.querySelector('[data-testid=report-location]').value === text, chosen, PATIENCE);
  await page.waitForFunction(() => !document.querySelector('[data-testid=show-data]').disabled, null, PATIENCE);
  assert.deepEqual([await at('report-level').inputValue(), await at('report-frequency').inputValue(), await at('download-format').inputValue()], ['substation', '7', 'csv']);
  await at('saved-selections').click();
  await at('saved-manage').click();
  await page.getByRole('button', { name: 'Rename Feeders here' }).click();
  await at('saved-name').fill('Feeders of the harbour');
  await at('saved-name-save').click();
  await page.getByRole('button', { name: 'Delete Feeders of the harbour' }).click();
  await at('saved-delete').click();
  await toast('Feeders of the harbour is deleted');
  await at('manage-close').click();
  await at('saved-selections').click();
  assert.equal(await page.getByRole('menuitem', { name: 'Feeders of the harbour' }).count(), 0);
  assert.deepEqual(browser.errors, []);
  await page.keyboard.press('Escape');
  await door.signOut();
});

test('a schedule is written with the keys alone, says when it runs, and is switched off and on', async () => {
  await door.signedIn('operator');
  await opened('schedules');
  await at('schedules-none').waitFor(PATIENCE);
  const keys = keysAlone(page);
  await keys.press('schedule-new');
  await keys.to('schedule-name');
  await page.keyboard.type('Feeders for Monday');
  await keys.choose('report-level', 'substation');
  await page.waitForFunction(() => [...document.querySelectorAll('[data-testid=report-location]')].some((list) => list.checkVisibility() && !list.disabled), null, PATIENCE);
  await keys.to('report-location');
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'Escape']) await page.keyboard.press(key);
  await keys.choose('report-report', HOURLY);
  await keys.choose('schedule-every', 'week');
  await keys.choose('schedule-period', 'day');
  await keys.choose('schedule-format', 'csv');
  await at('schedule-missing').filter({ hasText: 'Every Monday at 06:00, of the day before.' }).waitFor(PATIENCE);
  await keys.press('schedule-save');
  await toast('Feeders for Monday is saved');
  const row = page.locator('tr').filter({ hasText: 'Feeders for Monday' });
  await row.filter({ hasText: 'Every Monday at 06:00, of the day before' }).waitFor(PATIENCE);
  const on = row.getByRole('switch');
  await on.click();
  await row.filter({ hasText: 'Switched off' }).waitFor(PATIENCE);
  await on.click();
  await row.filter({ hasText: '06:00' }).filter({ hasNotText: 'Switched off' }).waitFor(PATIENCE);
  assert.equal(await on.isChecked(), true);
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('it runs now, its file is downloaded, and a link opens it to anybody until it is withdrawn', async () => {
  await door.signedIn('operator');
  await opened('schedules');
  await page.getByRole('button', { name: 'Feeders for Monday' }).click();
  await at('schedule-one').waitFor(PATIENCE);
  // The demo has values of the previous day, because its history starts two days ago.
  await at('run-now').click();
  const run = page.locator('.runs li').first();
  await page.locator('.runs li[data-run=done]').first().waitFor(A_RUN);
  const id = await idIn(run);
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), at(`run-${id}-file`).click()]);
  assert.match(download.suggestedFilename(), /\.csv$/);
  const file = readFileSync(await download.path());
  assert.ok(file.length > 20);
  await at(`run-${id}-links`).click();
  await at('link-days').fill('0');
  await at('link-make').click();
  await page.getByRole('alert').filter({ hasText: 'A whole number from 1 to 30.' }).waitFor(PATIENCE);
  await at('link-days').fill('3');
  await at('link-make').click();
  const address = await at('link-url').inputValue();
  const open = () => fetch(address);
  const first = await open();
  assert.deepEqual([first.status, Buffer.from(await first.arrayBuffer()).equals(file)], [200, true]);
  assert.equal((await fetch(`${address.slice(0, -4)}AAAA`)).status, 404);
  await at('link-withdraw').click();
  await at('link-withdraw-yes').click();
  await toast('The link is withdrawn');
  assert.equal((await open()).status, 404);
  await at('links-close').click();
  await isFocused(`run-${id}-links`);
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('a run that is made and one that waits behind it are stopped with the keys, after one question', async () => {
  await door.signedIn('admin');
  await opened('schedules');
  // All values of a whole day take long enough to cancel the run.
  await product.complete();
  await at('schedule-new').click();
  await at('schedule-name').fill('All values');
  await hand.choose('report-level', 'client');
  await hand.choose('report-report', EVERY_VALUE);
  await hand.choose('report-type', 'Historic');
  await hand.choose('input-sampleMinutes', 1);
  await hand.choose('schedule-period', 'day');
  await hand.choose('schedule-format', 'xlsx');
  await at('schedule-save').click();
  await toast('All values is saved');
  const open = async (name) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('region', { name }).waitFor(PATIENCE);
  };
  const keys = keysAlone(page);
  const runs = (state) => page.locator(`.runs li[data-run=${state}]`);
  /** Cancels the newest run and returns its id. */
  const stopped = async () => {
    const id = await idIn(page.locator('.runs li').first());
    await keys.press(`run-${id}-stop`);
    assert.equal(await focused(), 'run-stop-no', 'who presses Enter twice stops nothing');
    await page.keyboard.press('Escape');
    await isFocused(`run-${id}-stop`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'run-stop-yes');
    assert.deepEqual(await door.findings('the question before a run is stopped'), []);
    await page.keyboard.press('Enter');
    await at(`run-${id}`).and(runs('failed')).filter({ hasText: 'Stopped by Arjun Mehta.' }).waitFor(PATIENCE);
    // The focused button has disappeared, and the focus has moved to the schedule.
    await isFocused('schedule-one');
    return id;
  };
  await open('All values');
  await keys.press('run-now');
  await runs('running').waitFor(A_RUN);
  await open('Feeders for Monday');
  await keys.press('run-now');
  await runs('waiting').waitFor(PATIENCE);
  const waited = await stopped();
  await open('All values');
  const made = await stopped();
  assert.deepEqual([await at(`run-${made}-file`).count(), await at('run-now').getAttribute('aria-disabled')], [0, 'false']);
  // The slot is free: a new run is made, and the cancelled run is not.
  await open('Feeders for Monday');
  await keys.press('run-now');
  await page.waitForFunction(() => document.querySelector('.runs li')?.dataset.run === 'done', null, A_RUN);
  await at(`run-${waited}`).and(runs('failed')).waitFor(PATIENCE);
  await open('All values');
  await at(`run-${made}`).and(runs('failed')).waitFor(PATIENCE);
  await at('schedule-delete').click();
  await page.keyboard.press('Escape');
  await isFocused('schedule-delete');
  await page.keyboard.press('Enter');
  await at('schedule-delete-yes').click();
  await toast('All values is deleted');
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});

test('whose page is read-only looks, downloads, and finds nothing to press that writes', async () => {
  await door.signedIn('admin');
  await onlyRead(true);
  try {
    await door.signOut();
    await door.signedIn('operator');
    await opened('schedules');
    await page.getByRole('button', { name: 'Feeders for Monday' }).click();
    const file = page.locator('[data-testid^=run-][data-testid$=-file]').first();
    await file.waitFor(PATIENCE);
    await Promise.all([page.waitForEvent('download', PATIENCE), file.click()]);
    await page.locator('[data-testid^=run-][data-testid$=-links]').first().click();
    await at('links-close').waitFor(PATIENCE);
    for (const testId of ['schedule-new', 'run-now', 'schedule-edit', 'schedule-delete', 'link-make']) assert.equal(await at(testId).count(), 0, testId);
    assert.equal(await page.getByRole('switch').count(), 0);
    await at('links-close').click();
    await opened('export');
    await at('saved-selections').click();
    await page.getByRole('menuitem', { name: 'Nothing is saved.' }).waitFor(PATIENCE);
    assert.deepEqual((await page.getByRole('menuitem').allTextContents()).map((text) => text.trim()), ['Nothing is saved.']);
    await page.keyboard.press('Escape');
    await opened('monthly');
    await at('monthly-make').waitFor(PATIENCE);
    assert.equal(await at('monthly-schedule').count(), 0);
    assert.deepEqual(browser.errors, []);
    await door.signOut();
  } finally {
    await door.signedIn('admin');
    await onlyRead(false);
  }
  await door.signOut();
});

test('axe finds nothing in what is open, a phone does not scroll sideways, and who administers sees all', async () => {
  await door.signedIn('admin');
  await opened('schedules');
  await page.getByRole('button', { name: 'Feeders for Monday' }).click();
  await page.locator('.runs li').first().waitFor(PATIENCE);
  assert.deepEqual(await door.findings('schedules'), []);
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px are beside the page`);
  assert.deepEqual(await door.findings('schedules on a phone'), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await at('schedule-delete').click();
  await at('schedule-delete-yes').click();
  await toast('Feeders for Monday is deleted');
  await at('schedules-none').waitFor(PATIENCE);
  await door.signOut();
});

test('the performance of a month comes as a PDF, and is put on schedule from there', async () => {
  await door.signedIn('admin');
  await opened('monthly');
  await hand.choose('report-level', 'client');
  const [download] = await Promise.all([page.waitForEvent('download', A_RUN), at('monthly-make').click()]);
  assert.match(download.suggestedFilename(), /\.pdf$/);
  assert.equal(readFileSync(await download.path()).subarray(0, 4).toString(), '%PDF');
  await at('monthly-schedule').click();
  await at('schedule-name').fill('For the board');
  await at('schedule-missing').filter({ hasText: 'On day 1 of every month at 06:00, of the month before.' }).waitFor(PATIENCE);
  assert.deepEqual(await at('schedule-format').locator('option').allTextContents(), ['PDF']);
  await at('schedule-save').click();
  await page.locator('tr').filter({ hasText: 'For the board' }).waitFor(PATIENCE);
  assert.deepEqual(browser.errors, []);
  await door.signOut();
});
