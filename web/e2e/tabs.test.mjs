// Several tabs of one browser share the session of their user.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let base;
let door;

before(async () => {
  product = await aProduct();
  base = product.base;
  // No screen here shows history.
  product.settings.SWITCHYARD__HISTORY__DEMO_DAYS = '0';
  await product.start();
  browser = await openBrowser({ width: 1440, height: 900 });
  door = aDoor(browser.page, base);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const context = () => browser.page.context();
const shell = (page) => page.locator('.rail a').first();

/** Opens another tab. */
async function tab(path) {
  const page = await context().newPage();
  await page.goto(base + path);
  return page;
}

/** Returns a copy of a tab with its session storage, as "Duplicate tab" of a browser makes it. */
async function duplicate(page) {
  const [copy] = await Promise.all([context().waitForEvent('page'), page.evaluate(() => void window.open(window.location.href))]);
  return copy;
}

/** Renews the session in a tab. */
const renew = (page) => page.evaluate(() => window.__switchyard.renew());

test('tabs share a session, renew it at the same time, and one sign-out ends it in all of them', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  assert.deepEqual(await page.evaluate(() => Object.keys(window.sessionStorage).filter((key) => /refresh/.test(key))), []);
  assert.doesNotMatch(await page.evaluate(() => document.cookie), /session/, 'no script sees the secret');
  const cookie = (await context().cookies(`${base}/api/token`)).find(({ name }) => name === 'switchyard-session');
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path, cookie.expires], [true, 'Strict', '/api/token', -1]);

  const second = await tab('/');
  await second.waitForURL(/\/dashboard/, PATIENCE);
  await shell(second).waitFor(PATIENCE);
  const copy = await duplicate(page);
  await shell(copy).waitFor(PATIENCE);
  await page.reload();
  const tabs = [page, second, copy];
  for (const each of tabs) await shell(each).waitFor(PATIENCE);

  const refused = [];
  for (const each of tabs) each.on('response', (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`));
  for (let round = 0; round < 5; round += 1) assert.deepEqual(await Promise.all(tabs.map(renew)), [true, true, true]);
  // Requests at the same moment, as of a browser without locks.
  const renewals = await page.evaluate(() => Promise.all(Array.from({ length: 6 }, () => fetch('/api/token', { method: 'POST', headers: { 'X-Switchyard-Session': 'cookie' }, body: new URLSearchParams({ feui: '1' }) }).then(({ status }) => status))));
  assert.deepEqual(renewals, [200, 200, 200, 200, 200, 200]);
  assert.deepEqual(await Promise.all(tabs.map(renew)), [true, true, true]);
  for (const each of tabs) {
    await each.goto(`${base}/exportreports`);
    await shell(each).waitFor(PATIENCE);
  }
  assert.deepEqual(refused, []);

  await second.getByTestId('log-out').click();
  for (const each of tabs) await each.waitForURL(`${base}/`, PATIENCE);
  await copy.goto(`${base}/dashboard`);
  await copy.waitForURL(/\/login/, PATIENCE);

  // Signing in on one tab continues the others, which show the sign-in.
  await second.goto(`${base}/login?redirect=%2Fexportreports`);
  await door.signedIn('operator');
  await second.waitForURL(`${base}/exportreports`, PATIENCE);
  await copy.waitForURL(/\/dashboard/, PATIENCE);
  await door.signOut();
  await second.waitForURL(`${base}/`, PATIENCE);
  assert.deepEqual(browser.errors, []);
});

test('a page of another origin cannot renew the session', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  const foreign = base.replace('127.0.0.1', 'localhost');
  const other = await context().newPage();
  await other.goto(`${foreign}/login`);
  const renewed = await other.evaluate(async (to) => {
    const sent = { method: 'POST', credentials: 'include', body: new URLSearchParams({ feui: '1' }) };
    const blind = await fetch(to, { ...sent, mode: 'no-cors' }).then(({ type }) => type, String);
    const marked = await fetch(to, { ...sent, headers: { 'X-Switchyard-Session': 'cookie' } }).then(({ status }) => status, () => 'refused');
    return [blind, marked];
  }, `${base}/api/token`);
  assert.equal(renewed[1], 'refused', renewed.join());
  await other.close();
  assert.equal(await renew(page), true);
  await door.signOut();
});
