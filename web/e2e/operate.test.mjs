// Operating breakers on the screen with the simulated RTUs: both modes, every refusal that a user can get, keyboard only, two operators, silent and
// failing RTUs, and a server that ends during a command. Only a position confirmed by the field is a success.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

/** Longer than the feedback time of a breaker. */
const FEEDBACK = { timeout: 30_000 };

let product;
let base;
let browser;
let door;

before(async () => {
  product = await aProduct();
  base = product.base;
  // Breakers of Quayside with simulated defects.
  product.settings.SWITCHYARD__SIMULATE__DEFECTS = 'QUAYSIDE/F3CB=stuck,QUAYSIDE/F4CB=silent,QUAYSIDE/F5CB=dies';
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  door = aDoor(browser.page, base);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

/** Opens the substation's diagram and waits until every element is live. */
async function quayside(page) {
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await page.waitForFunction(() => window.__switchyard.elements().length > 0 && window.__switchyard.elements().every((element) => element.live), null, PATIENCE);
}

const element = (page, name) => page.evaluate((wanted) => window.__switchyard.elements().find((candidate) => candidate.name === wanted), name);
const meaning = (page, name, wanted, patience = PATIENCE) => page.waitForFunction(([device, expected]) => window.__switchyard.elements().find((candidate) => candidate.name === device)?.meaning === expected, [name, wanted], patience);
const state = (page, wanted, patience = PATIENCE) => page.locator(`[data-testid=command-life][data-state=${wanted}]`).waitFor(patience);

async function menuOf(page, name) {
  const { x, y } = await stillAt(page, name);
  await page.mouse.click(x, y, { button: 'right' });
  await page.getByRole('menu').waitFor(PATIENCE);
}

async function prove(page, password = PASSWORD) {
  await page.getByTestId('credentials-password').fill(password, PATIENCE);
  await page.getByTestId('credentials-submit').click();
}

/** Waits until the server allows a breaker to be operated again after its last operation. */
async function rested(name) {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const ask = (path) => fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${me.token}` } }).then((answer) => answer.json());
  const place = (await ask(`substation/substationsbyuser/${me.id}`)).result.find(({ AssetPointName }) => AssetPointName.includes('Quayside'));
  const input = (await ask(`sld/slddivaluesbyastpt/${place.AssetPointId}`)).result.diData.find(({ assetName, pointCode }) => pointCode === 'Pos' && assetName.startsWith(name.replace(/CB$/, ' ')) && assetName.endsWith('CB'));
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    if ((await ask(`digiops/cbstatus/${input.gatewayId}/${input.Asset2DiSettingId}`)).result.operable) return;
    await new Promise((wake) => setTimeout(wake, 250));
  }
  throw new Error(`${name} cannot be operated after 30 s`);
}

/** Opens the confirmation of an operation. The caller confirms or cancels it. */
async function asked(page, name, entry) {
  await rested(name);
  await menuOf(page, name);
  await page.getByTestId(entry).click();
  // The password counts for one device and one direction, which the dialog names.
  assert.match(await page.getByTestId('credentials-operation').innerText(PATIENCE), new RegExp(`${name.replace(/CB$/, '')}.* from (OPEN to CLOSED|CLOSED to OPEN)`));
  await prove(page);
  await page.getByTestId('operate-send').waitFor(PATIENCE);
}

async function signedInAt(page, who) {
  await aDoor(page, base).signedIn(who);
  await quayside(page);
}

test('a breaker is opened directly and closed by select before operate; its feeder goes dead and comes back', async () => {
  const { page } = browser;
  await signedInAt(page, 'operator');
  await asked(page, 'F2CB', 'menu-direct');
  const facts = await page.getByTestId('confirm').innerText();
  for (const word of ['Quayside', 'CLOSED', 'OPEN', 'direct operate', 'good']) assert.ok(facts.includes(word), `${word} in ${facts}`);
  const diagram = () => page.getByTestId('sld').boundingBox();
  const place = await diagram();
  assert.equal(await page.getByTestId('command-line').count(), 0);
  await page.getByTestId('operate-send').click();
  await page.getByTestId('command-line').waitFor(PATIENCE);
  assert.deepEqual(await diagram(), place, 'the command line does not move the diagram');
  await meaning(page, 'F2CB', 'open');
  await state(page, 'DONE');
  // The device rests: its buttons are disabled with the seconds left.
  await page.waitForFunction(() => /again in \d+ s/.test(document.querySelector('[data-testid=action-direct]')?.dataset.tip ?? ''), null, PATIENCE);
  assert.equal(await page.getByTestId('action-direct').isDisabled(), true);
  const states = async () => new Set((await page.evaluate(() => window.__switchyard.wires())).map((wire) => wire.state));
  assert.ok((await states()).has(2), 'a part of the circuit is dead');
  await page.waitForFunction(() => [...document.querySelectorAll('.detail dd')].some((cell) => /^\s*0\s*A/.test(cell.textContent)), null, PATIENCE);

  await asked(page, 'F2CB', 'menu-select');
  await page.getByTestId('selected-left').waitFor(PATIENCE);
  await page.getByTestId('operate-send').click();
  await meaning(page, 'F2CB', 'closed');
  await state(page, 'DONE');
  // A commanded change flashes as a change and not as a trip, until it is acknowledged.
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F2CB').flash === 'change', null, PATIENCE);
  await page.getByTestId('acknowledge-all').click();
  await page.waitForFunction(() => window.__switchyard.elements().every(({ flash }) => flash === null), null, PATIENCE);
});

test('a selection that is cancelled is free again; a double click sends once', async () => {
  const { page } = browser;
  await asked(page, 'F2CB', 'menu-select');
  await page.getByTestId('operate-cancel').click();
  await state(page, 'CANCELLED');
  const posts = [];
  const listen = (request) => request.method() === 'POST' && request.url().endsWith('/api/digiops') && posts.push(request.postDataJSON());
  await asked(page, 'F2CB', 'menu-direct');
  page.on('request', listen);
  await page.getByTestId('operate-send').dblclick();
  await meaning(page, 'F2CB', 'open');
  page.off('request', listen);
  assert.equal(posts.length, 1);
  await state(page, 'DONE');
});

test('by the keyboard alone: the list, the menu key, credentials, and Enter never sends', async () => {
  const { page } = browser;
  await page.locator('.elements button[tabindex="0"]').focus();
  await page.keyboard.type('F1CB', { delay: 30 });
  const isAtBreaker = () => page.waitForFunction(() => document.activeElement?.dataset.id && document.activeElement.textContent.startsWith('F1CB'), null, PATIENCE);
  await isAtBreaker();
  const menu = async () => {
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu').waitFor(PATIENCE);
  };
  await menu();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached', ...PATIENCE });
  await isAtBreaker();
  const begin = async () => {
    await menu();
    await page.keyboard.press('d');
    await page.keyboard.press('Enter');
    await page.getByTestId('credentials-password').waitFor(PATIENCE);
  };
  await begin();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached', ...PATIENCE });
  await isAtBreaker();
  await begin();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByTestId('operate-send').waitFor(PATIENCE);
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), 'operate-cancel');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), 'operate-send');
  await page.keyboard.press('Enter');
  assert.ok(await page.getByTestId('operate-send').isEnabled(), 'Enter has sent it');
  assert.equal((await element(page, 'F1CB')).command, null);
  await page.keyboard.press('Space');
  await meaning(page, 'F1CB', 'open');
  await page.waitForFunction(() => /F1/.test(document.querySelector('[data-testid=announcer]').textContent), null, PATIENCE);
});

test('wrong credentials are told and nothing is sent; an earthed feeder is not closed', async () => {
  const { page } = browser;
  await rested('F1CB');
  await menuOf(page, 'F1CB');
  await page.getByTestId('menu-direct').click();
  await page.getByTestId('credentials-submit').click();
  await page.getByText('Please enter password').waitFor(PATIENCE);
  await prove(page, 'not the password');
  await page.getByText('Invalid Credential...').waitFor(PATIENCE);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached', ...PATIENCE });
  // F8 is a spare bay that is earthed.
  await menuOf(page, 'F8CB');
  await page.getByTestId('menu-direct').click();
  await page.getByRole('dialog').filter({ hasText: /earth/i }).waitFor(PATIENCE);
  await page.getByTestId('notice-ok').click();
  assert.equal((await element(page, 'F8CB')).meaning, 'open');
});

test('an RTU that accepts and does not move is told as no feedback, one that is silent as well, never as success', async () => {
  const { page } = browser;
  await asked(page, 'F3CB', 'menu-direct');
  await page.getByTestId('operate-send').click();
  await state(page, 'NO_FEEDBACK', FEEDBACK);
  assert.equal((await element(page, 'F3CB')).meaning, 'closed');
  await asked(page, 'F4CB', 'menu-direct');
  await page.getByTestId('operate-send').click();
  await page.locator('[data-testid=command-life]').and(page.locator('[data-state=NO_FEEDBACK], [data-state=UNKNOWN]')).waitFor(FEEDBACK);
  assert.equal((await element(page, 'F4CB')).meaning, 'closed');
});

test('a command that the field does not confirm is an alarm in the bar and in the list until it is acknowledged', async () => {
  const { page } = browser;
  const [accepted, silent] = [/F3 .*CB.*Command to open by Omkar Nair was not confirmed by the device\./s, /F4 .*CB.*Command to open by Omkar Nair (was not confirmed by the device|has an unknown outcome)\./s];
  const first = page.getByTestId('alarm-first');
  await page.getByTestId('alarm-list-open').click();
  const panel = page.getByTestId('alarm-panel');
  const row = (text) => panel.getByTestId('alarm-row').filter({ hasText: text });
  await row(silent).waitFor(PATIENCE);
  const facts = await row(accepted).innerText(PATIENCE);
  for (const word of ['P1', 'Quayside', 'unacknowledged']) assert.ok(facts.includes(word), `${word} in ${facts}`);
  await row(accepted).getByTestId('alarm-row-acknowledge').click();
  await row(accepted).waitFor({ state: 'detached', ...PATIENCE });
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached', ...PATIENCE });

  // Trips of the demo may have raised newer alarms.
  for (let shown = await first.innerText(PATIENCE); !silent.test(shown); shown = await first.innerText(PATIENCE)) {
    await page.getByTestId('alarm-acknowledge').click(PATIENCE);
    await first.filter({ hasText: shown }).waitFor({ state: 'detached', ...PATIENCE });
  }
  await page.getByTestId('alarm-acknowledge').click(PATIENCE);
  await first.filter({ hasText: silent }).waitFor({ state: 'detached', ...PATIENCE });
});

test('a tag is on the diagram, and its device cannot be operated until it is taken away', async () => {
  const { page } = browser;
  await menuOf(page, 'F6CB');
  await page.getByTestId('menu-tags').click();
  await page.getByTestId('tag-place').click();
  await page.getByText('Reason: shown to all users').waitFor(PATIENCE);
  await page.getByTestId('tag-reason').fill('Line work <b>span 14</b>');
  await page.getByTestId('tag-place').click();
  await page.getByTestId('tag').filter({ hasText: 'Line work <b>span 14</b>' }).waitFor(PATIENCE);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F6CB').tags === 1, null, PATIENCE);
  await menuOf(page, 'F6CB');
  assert.equal(await page.getByTestId('menu-direct').getAttribute('aria-disabled'), 'true');
  await page.getByTestId('menu-tags').click();
  await page.getByRole('button', { name: 'Take away' }).click();
  await page.getByTestId('tag-why').fill('work is done');
  await page.getByTestId('tag-take').click();
  await page.getByText('There are none.').waitFor(PATIENCE);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F6CB').tags === 0, null, PATIENCE);
});

test('two operators: the second is told who has it and for how long, and sees what the first does', async () => {
  const { page } = browser;
  const other = await openBrowser({ width: 1600, height: 1000 });
  try {
    await signedInAt(other.page, 'admin');
    await asked(page, 'F7CB', 'menu-select');
    await page.getByTestId('selected-left').waitFor(PATIENCE);
    await other.page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F7CB').command === 'SELECTED', null, PATIENCE);
    await other.page.getByTestId('command-line').filter({ hasText: /Omkar.*s left/ }).waitFor(PATIENCE);
    await menuOf(other.page, 'F7CB');
    assert.match(await other.page.getByTestId('menu-direct').innerText(), /Omkar Nair is operating it/);
    await other.page.keyboard.press('Escape');
    // The selection is still shown after a reload.
    await other.page.reload();
    await other.page.waitForFunction(() => window.__switchyard?.elements().find(({ name }) => name === 'F7CB')?.command === 'SELECTED', null, PATIENCE);
    await page.getByTestId('operate-cancel').click();
    await other.page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F7CB').command === 'CANCELLED', null, PATIENCE);
  } finally {
    await other.close();
  }
});

test('the question closes itself when the server is lost, and what was selected comes to nothing when it comes back', async () => {
  const { page } = browser;
  await asked(page, 'F7CB', 'menu-select');
  await page.getByTestId('selected-left').waitFor(PATIENCE);
  product.kill('SIGKILL');
  await product.ended();
  await page.getByRole('dialog').filter({ hasText: 'Nothing was sent.' }).waitFor(PATIENCE);
  await page.getByTestId('notice-ok').click();
  await menuOf(page, 'F7CB').catch(() => undefined);
  assert.equal(await page.getByTestId('menu-direct').getAttribute('aria-disabled'), 'true');
  await page.keyboard.press('Escape');
  await product.start();
  await page.waitForFunction(() => window.__switchyard.elements().every((candidate) => candidate.live), null, FEEDBACK);
  await page.waitForFunction(() => ['CANCELLED', 'EXPIRED'].includes(window.__switchyard.elements().find(({ name }) => name === 'F7CB').command), null, FEEDBACK);
  assert.equal((await element(page, 'F7CB')).meaning, 'closed');
});

test('a breaker whose RTU dies half-way ends as unknown or without feedback, and the screen says to look at the field', async () => {
  const { page } = browser;
  await asked(page, 'F5CB', 'menu-direct');
  await page.getByTestId('operate-send').click();
  await page.locator('[data-testid=command-life]').and(page.locator('[data-state=UNKNOWN], [data-state=NO_FEEDBACK]')).waitFor(FEEDBACK);
  await page.getByText(/field/i).first().waitFor(PATIENCE);
});

test('who may only look has no way to operate, and See Details carries the place', async () => {
  const { page, errors } = browser;
  await door.signOut();
  await signedInAt(page, 'viewer');
  await menuOf(page, 'F6CB');
  for (const entry of ['menu-select', 'menu-direct', 'menu-tags']) assert.equal(await page.getByTestId(entry).getAttribute('aria-disabled'), 'true');
  await page.getByTestId('menu-details').click();
  await page.waitForURL(/\/eereportsnew\?q=/, PATIENCE);
  assert.match(Buffer.from(new URL(page.url()).searchParams.get('q'), 'base64').toString(), /^divId=\d+&asptId=\d+&asstId=\d+$/);
  // The analytics cannot select a breaker. A message says so, and no other asset is shown instead.
  await page.goto(`${base}/dashboard`);
  await page.locator('.rail a').first().waitFor(PATIENCE);
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette-field').fill('quayside f2 cb');
  await page.getByTestId('palette-entry').first().waitFor(PATIENCE);
  await page.keyboard.press('Enter');
  await page.waitForURL(/asset=\d+/, PATIENCE);
  await page.locator('.detail h2', { hasText: 'F2' }).waitFor(PATIENCE);
  await door.signOut();
  assert.deepEqual(errors, []);
});
