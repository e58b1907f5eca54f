// Users before and in the shell: sign-in, the pages of each role, resetting a forgotten password, and accessibility.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
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
  base = product.base;
  await product.start();
  browser = await openBrowser({ width: 1440, height: 900 });
  door = aDoor(browser.page, base);
});

const signIn = (...who) => door.signIn(...who);
const signedIn = (username) => door.signedIn(username);
const signOut = () => door.signOut();
const findings = (where) => door.findings(where);

after(async () => {
  await browser?.close();
  await product?.stop();
});

const RAIL = {
  super: ['dashboard', 'faultdashboard', 'abnormal', 'eedashboard', 'eereportsnew', 'fareportsnew', 'lowcarbon', 'assetreportsnew', 'assethealth', 'exportreports', 'powerbi', 'administration', 'tree'],
  admin: ['dashboard', 'faultdashboard', 'abnormal', 'eedashboard', 'eereportsnew', 'fareportsnew', 'lowcarbon', 'assetreportsnew', 'assethealth', 'exportreports', 'powerbi', 'administration', 'tree'],
  operator: ['dashboard', 'faultdashboard', 'abnormal', 'eedashboard', 'eereportsnew', 'fareportsnew', 'lowcarbon', 'assetreportsnew', 'assethealth', 'exportreports', 'powerbi', 'tree'],
  viewer: ['dashboard', 'faultdashboard', 'abnormal', 'eedashboard', 'eereportsnew', 'fareportsnew', 'lowcarbon', 'assetreportsnew', 'assethealth', 'exportreports', 'powerbi', 'tree'],
  field: ['dashboard', 'faultdashboard', 'abnormal', 'eedashboard', 'eereportsnew', 'fareportsnew', 'assetreportsnew', 'assethealth', 'exportreports', 'tree'],
  demo: ['dashboard', 'faultdashboard', 'abnormal', 'eedashboard', 'eereportsnew', 'fareportsnew', 'lowcarbon', 'assetreportsnew', 'assethealth', 'exportreports', 'powerbi', 'tree'],
};

for (const [who, expected] of Object.entries(RAIL)) {
  test(`${who} has exactly the screens of their role`, async () => {
    const { page } = browser;
    await signedIn(who);
    const shown = await page.locator('.rail a').evaluateAll((links) => links.map((link) => link.getAttribute('href').slice(1)));
    assert.deepEqual(shown, expected);
    for (const path of RAIL.super.filter((path) => !expected.includes(path))) {
      await page.goto(`${base}/${path}`);
      await page.getByText('You have no access to this page').waitFor(PATIENCE);
    }
    assert.equal(await page.getByTestId('switch-client').count(), who === 'super' ? 1 : 0);
    await signOut();
  });
}

test('the super user and the demo user are told what they are', async () => {
  const { page } = browser;
  await signIn('super');
  await page.getByText('You are logged in as Super User').waitFor(PATIENCE);
  await page.locator('.rail a').first().waitFor(PATIENCE);
  await signOut();
  await signIn('demo');
  await page.getByText('Login Successful...!').waitFor(PATIENCE);
  await page.waitForURL('**/dashboard?login=demo', PATIENCE);
  await signOut();
});

test('a redirect leads to this site only, and back to where the person wanted to go', async () => {
  const { page } = browser;
  for (const target of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    await signIn('operator', PASSWORD, `/login?redirect=${encodeURIComponent(target)}`);
    await page.waitForURL(`${base}/dashboard`, PATIENCE);
    await page.locator('.rail a').first().waitFor(PATIENCE);
    await signOut();
  }
  await page.goto(`${base}/tree`);
  await page.waitForURL('**/login?redirect=%2Ftree', PATIENCE);
  await page.getByTestId('login-username').fill('operator');
  await page.getByTestId('login-password').fill(PASSWORD);
  await page.getByTestId('login-submit').click();
  await page.waitForURL(`${base}/tree`, PATIENCE);
  await signOut();
});

test('a token is renewed and the socket stays', async () => {
  const { page } = browser;
  let sockets = 0;
  const opened = () => (sockets += 1);
  page.on('websocket', opened);
  await signedIn('operator');
  await page.getByTestId('light-server').and(page.locator('[data-state=ok]')).waitFor(PATIENCE);
  assert.equal(sockets, 1);
  const renewed = page.waitForResponse((answer) => answer.url().endsWith('/api/token') && answer.ok(), PATIENCE);
  await page.evaluate(() => window.__switchyard.renew());
  await renewed;
  // Later requests carry the new token.
  await page.getByTestId('rail-tree').click();
  await page.getByRole('treeitem').nth(1).waitFor(PATIENCE);
  await page.getByTestId('light-server').and(page.locator('[data-state=ok]')).waitFor(PATIENCE);
  assert.equal(sockets, 1);
  page.off('websocket', opened);
  await signOut();
});

test('who is away for three hours is warned, may stay, and is signed out in the end', async () => {
  const { page } = browser;
  await page.clock.install();
  try {
    await signedIn('operator');
    await page.clock.fastForward('02:56:00');
    await page.getByRole('dialog', { name: 'you will be logged out soon' }).waitFor(PATIENCE);
    await page.getByTestId('idle-stay').click();
    await page.getByRole('dialog').waitFor({ state: 'detached', ...PATIENCE });
    await page.clock.fastForward('03:01:00');
    await page.getByTestId('login-username').waitFor(PATIENCE);
  } finally {
    await page.clock.resume();
    await page.reload();
  }
});

test('a forgotten password is set anew by the link of the mail', async () => {
  const { page } = browser;
  const chosen = 'seven otters count the evening trains';
  await page.goto(`${base}/forgotpassword`);
  await page.getByTestId('reset-email').fill('viewer@demo.invalid');
  await page.getByTestId('login-submit').click();
  await page.waitForURL('**/login', PATIENCE);
  const folder = join(product.folder, 'var/mail');
  const link = () => {
    const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=\n', ''));
    return mails.map((mail) => /\/setpassword#([\w.-]+)/.exec(mail)?.[1]).find(Boolean);
  };
  let token;
  for (const deadline = Date.now() + PATIENCE.timeout; !token && Date.now() < deadline; ) {
    token = link();
    if (!token) await page.evaluate(() => new Promise((wake) => requestAnimationFrame(wake)));
  }
  await page.goto(`${base}/setpassword#${token}`);
  // The secret is removed from the address.
  await page.waitForFunction(() => window.location.hash === '', null, PATIENCE);
  await page.getByTestId('password-first').fill('too short');
  await page.getByTestId('login-submit').click();
  await page.getByText('A password has at least 15 characters').waitFor(PATIENCE);
  for (const field of ['password-first', 'password-second']) await page.getByTestId(field).fill(chosen);
  await page.getByTestId('login-submit').click();
  await page.waitForURL('**/login', PATIENCE);
  await signIn('viewer', chosen);
  await page.locator('.rail a').first().waitFor(PATIENCE);
  await signOut();
});

test('an administrator adds a person, and is told what is wrong with one', async () => {
  const { page } = browser;
  await signedIn('admin');
  await page.getByTestId('rail-administration').click();
  await page.getByTestId('member-new').click();
  await page.getByTestId('member-username').fill('new.person');
  await page.getByTestId('member-first').fill('<b>Nina</b>');
  await page.getByTestId('member-last').fill("O'Hara");
  await page.getByTestId('member-email').fill('not an address');
  await page.getByTestId('member-node').selectOption({ index: 1 });
  await page.getByTestId('member-save').click();
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: /email/i }).waitFor(PATIENCE);
  await page.getByTestId('member-email').fill('nina@example.org');
  await page.getByTestId('member-save').click();
  await page.getByTestId('member-new.person').filter({ hasText: "<b>Nina</b> O'Hara" }).waitFor(PATIENCE);
  await signOut();
});

test('every page can be used by everybody: axe finds nothing against WCAG A and AA in either theme', async () => {
  const { page } = browser;
  const found = [];
  for (const path of ['/login', '/forgotpassword', '/setpassword#x']) {
    await page.goto(base + path);
    await page.getByTestId('login-submit').waitFor(PATIENCE);
    found.push(...(await findings(path)));
  }
  await signedIn('super');
  for (const path of ['/dashboard', '/tree', '/administration', '/administration?tab=pages', '/administration?tab=sites', '/administration?tab=utility', '/administration?tab=operating', '/administration?tab=alarms', '/administration?tab=audit', '/administration?tab=feedback', '/home', '/home?tab=faults.details', '/faultdashboard?tab=faults.table', '/eedashboard?tab=energy.details', '/eedashboard?tab=energy.table', '/asset', '/dashboard?area=network', '/dashboard?area=rtu-health', '/dashboard?area=outages', '/lowcarbon', '/sa30i', '/unauthorize', '/nothing']) {
    await page.goto(base + path);
    await page.locator('.rail a').first().waitFor(PATIENCE);
    found.push(...(await findings(path)));
  }
  for (const [button, what] of [
    ['help', 'help'],
    ['legend', 'legend'],
    ['switch-client', 'client switch'],
    ['feedback-open', 'feedback'],
  ]) {
    await page.getByTestId(button).click();
    await page.getByRole('dialog').waitFor(PATIENCE);
    found.push(...(await findings(what)));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached', ...PATIENCE });
    assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), button, 'the focus is where it was');
  }
  assert.deepEqual(found, []);
  await signOut();
});
