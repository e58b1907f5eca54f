// The frame around the screens: tabs by role and configuration, the hierarchy selector with presets, administration, exports.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let base;
let door;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1440, height: 900 });
  door = aDoor(browser.page, base);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const tabs = () => browser.page.locator('[role=tab]').evaluateAll((list) => list.map((tab) => tab.textContent.trim()));
const ALL = ['Map', 'Network', 'RTU Health', 'Communication Outages', 'SLD', 'SLD', 'Faults', 'Analog Log', 'Analog Realtime Data', 'Power Quality', 'Asset', 'Event Log', 'Substation Health'];

test('the dashboard has exactly the tabs of the role and its switches, and what an administrator takes away is gone', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await page.goto(`${base}/dashboard`);
  await page.getByTestId('tab-sld').waitFor(PATIENCE);
  assert.deepEqual(await tabs(), ALL);
  await door.signOut();

  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=pages`);
  await page.getByTestId('pages-role').selectOption({ label: 'CircleAdmin' });
  await page.getByLabel('Has Faults', { exact: true }).first().uncheck(PATIENCE);
  await page.getByTestId('pages-save').click();
  await page.getByText('This role has pages of its own in this utility.').waitFor(PATIENCE);
  await page.goto(`${base}/administration?tab=utility`);
  await page.getByLabel('Power quality').uncheck(PATIENCE);
  await page.getByTestId('utility-save').click();
  await page.getByText('Changed. It holds from the next sign-in or reload.').waitFor(PATIENCE);
  await door.signOut();

  await door.signedIn('operator');
  await page.getByTestId('tab-sld').waitFor(PATIENCE);
  assert.deepEqual(await tabs(), ALL.filter((name) => name !== 'Faults' && name !== 'Power Quality'));
  await door.signOut();

  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=audit`);
  await page.locator('[data-testid=audit-row]').first().waitFor(PATIENCE);
  const actions = await page.locator('[data-testid=audit-row]').evaluateAll((rows) => rows.map((row) => row.dataset.action));
  assert.ok(actions.some((action) => action.includes('page')), actions.join(' '));
  await page.goto(`${base}/administration?tab=pages`);
  await page.getByTestId('pages-role').selectOption({ label: 'CircleAdmin' });
  await page.getByTestId('pages-reset').click(PATIENCE);
  await page.getByText('This role has the pages that come with the product.').waitFor(PATIENCE);
  await door.signOut();
});

test('a role without the dashboard begins on its first page', async () => {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const headers = { Authorization: `Bearer ${me.token}`, 'Content-Type': 'application/json' };
  const role = `${base}/api/admin/pageaccess/3`;
  const { result } = await fetch(role, { headers }).then((answer) => answer.json());
  const kept = result.pages.filter(({ granted, tabKey }) => granted && tabKey === 'reports.export').map(({ pageId, isReadonly, showInTab }) => ({ pageId, isReadonly, showInTab }));
  assert.equal(kept.length, 1);
  assert.equal((await fetch(role, { method: 'PUT', headers, body: JSON.stringify(kept) })).status, 200);
  try {
    const { page } = browser;
    await door.signIn('operator');
    await page.waitForURL(`${base}/exportreports`, PATIENCE);
    await page.locator('.rail a').first().waitFor(PATIENCE);
    assert.deepEqual(await page.locator('.rail a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))), ['/exportreports']);
    assert.equal(await page.getByText('You have no access to this page').count(), 0);
    await door.signOut();
  } finally {
    assert.equal((await fetch(role, { method: 'DELETE', headers })).status, 200);
  }
});

test('a level, a node and its breadcrumb are chosen, or come with the address; what is not theirs is not shown', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await page.goto(`${base}/eereportsnew`);
  // The place of the role comes first. Without a place there are no tabs.
  await page.waitForURL(/level=substation&node=\d+/, PATIENCE);
  await page.getByTestId('select-level').selectOption('');
  await page.getByText('Please select appropriate option to view data').waitFor(PATIENCE);
  assert.deepEqual(await tabs(), []);
  await page.waitForFunction(() => !document.querySelector('[data-testid=select-level]').disabled, null, PATIENCE);
  const levels = await page.getByTestId('select-level').locator('option').allTextContents();
  assert.deepEqual(levels, ['-- Select Level --', 'Circle', 'Division', 'Town', 'Sub Division', 'Section', 'Substation', 'Asset']);
  await page.getByTestId('select-level').selectOption({ label: 'Substation' });
  await page.getByTestId('select-node').click(PATIENCE);
  await page.getByTestId('select-node').fill('quayside');
  await page.keyboard.press('Enter');
  await page.getByTestId('breadcrumb').filter({ hasText: /›.*Quayside/ }).waitFor(PATIENCE);
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'operator', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const ask = (path) => fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${me.token}` } }).then((answer) => answer.json());
  const place = (await ask(`substation/substationsbyuser/${me.id}`)).result.find(({ AssetPointName }) => AssetPointName.includes('Quayside'));
  const asset = (await ask(`asset/assetsbysubstation/${place.AssetPointId}`)).result[0];
  const { divisionId: division, AssetPointId: substation } = place;
  const open = (text) => page.goto(`${base}/eereportsnew?q=${encodeURIComponent(Buffer.from(text).toString('base64'))}`);
  await open(`divId=${division}`);
  await page.waitForFunction(() => document.querySelector('[data-testid=select-level]')?.value === 'division' && document.querySelector('[data-testid=breadcrumb]')?.textContent !== '', null, PATIENCE);
  await open(`divId=${division}&asptId=${substation}`);
  await page.getByTestId('breadcrumb').filter({ hasText: /Quayside$/ }).waitFor(PATIENCE);
  await open(`divId=${division}&asptId=${substation}&asstId=${asset.assetId}`);
  await page.getByTestId('breadcrumb').filter({ hasText: asset.assetName }).waitFor(PATIENCE);
  await open('divId=999999');
  await page.getByText('The place in this address is none that you may see.').waitFor(PATIENCE);
  await page.goto(`${base}/assetreportsnew`);
  await page.getByTestId('select-level').selectOption({ label: 'Asset' });
  await page.getByTestId('select-node').click(PATIENCE);
  const kinds = await page.locator('[role=option]').allTextContents();
  assert.ok(kinds.length > 0 && kinds.every((text) => /TR/.test(text)), `only transformers: ${kinds.slice(0, 3)}`);
  await door.signOut();
});

test('a site gets its brand, with the grey box and the servers to choose from', async () => {
  const { page } = browser;
  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=sites`);
  await page.getByTestId('site-new').click(PATIENCE);
  await page.getByTestId('site-host').fill('127.0.0.1');
  await page.getByTestId('site-title').fill('Coast <b>Power</b>');
  await page.getByTestId('site-footer').fill('Call <b>1912</b><script>alert(1)</script>');
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByLabel('Key of server 1').fill('main');
  await page.getByLabel('Name of server 1').fill('Main');
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByLabel('Key of server 2').fill('north');
  await page.getByLabel('Name of server 2').fill('North');
  await page.getByTestId('site-save').click();
  await page.getByTestId('site-127.0.0.1').filter({ hasText: 'Call 1912' }).waitFor(PATIENCE);
  await door.signOut();
  await page.goto(`${base}/login`);
  await page.getByRole('heading', { name: 'Coast <b>Power</b>' }).waitFor(PATIENCE);
  await page.getByTestId('login-server').selectOption({ label: 'North' });
  // The choice takes effect with the sign-in.
  assert.doesNotMatch(await page.evaluate(() => document.cookie), /switchyard-server/);
  assert.equal(await page.locator('footer b').innerText(), '1912');
  await page.getByTestId('login-username').fill('admin');
  await page.getByTestId('login-password').fill('not the password');
  await page.getByTestId('login-submit').click();
  await page.waitForFunction(() => /switchyard-server=north/.test(document.cookie), null, PATIENCE);
  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=sites`);
  await page.getByRole('button', { name: 'Edit 127.0.0.1' }).click(PATIENCE);
  await page.getByLabel('Sign-in form').selectOption('grey');
  await page.getByTestId('site-save').click();
  await page.getByTestId('site-127.0.0.1').filter({ hasText: 'grey box' }).waitFor(PATIENCE);
  await door.signOut();
  await page.goto(`${base}/login`);
  await page.locator('.sign-in[data-variant=grey]').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('login-server').count(), 0);
  await door.signedIn('admin');
  await page.goto(`${base}/administration?tab=sites`);
  await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click(PATIENCE);
  await page.getByTestId('site-remove').click();
  await page.getByText('No site has a brand of its own').or(page.locator('table')).first().waitFor(PATIENCE);
  await door.signOut();
});

test('a table is exported as it stands', async () => {
  const { page } = browser;
  await door.signedIn('operator');
  await page.getByTestId('select-location').selectOption({ index: 1 }, PATIENCE);
  await page.getByTestId('tab-analog-realtime').click(PATIENCE);
  await page.getByTestId('load-row').first().waitFor(PATIENCE);
  await page.getByTestId('export').click();
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.getByRole('menuitem', { name: 'Load current as CSV' }).click()]);
  assert.match(download.suggestedFilename(), /^load-current_\d{8}_\d{6}\.csv$/);
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n').slice(0, -1);
  assert.equal(lines[0], '\uFEFFUpdated Time,DCU Bat. Vol.,Feeder Name,Ir,Iy,Ib,F-Ir,F-Iy,F-Ib');
  assert.equal(lines.length - 1, await page.getByTestId('load-row').count());
  await door.signOut();
});
