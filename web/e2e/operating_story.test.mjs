// The whole of operating as one story, by keyboard alone and with two desks: an operator takes over an area, enters the position of a switch that no point
// reports, places a portable earth, is refused a close onto it, removes it, and closes. The focus is where the next key is expected after each dialog.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

/** A folder for pictures of each screen; none without it. */
const PICTURES = process.env.SWITCHYARD_E2E_PICTURES;
const SIZES = [
  { width: 1920, height: 1080 },
  { width: 1366, height: 768 },
];
/** Number of Tab keys after which something counts as out of reach. */
const TABS_MAX = 90;
/** A breaker may be operated again after a pause. */
const PAUSE = { timeout: 60_000 };

let product;
let base;
/** The browsers of the desks Control room and East. */
let room;
let east;

before(async () => {
  product = await aProduct();
  base = product.base;
  // No screen here shows history, and no switch moves unless this test moves it.
  product.settings.SWITCHYARD__HISTORY__DEMO_DAYS = '0';
  product.settings.SWITCHYARD__SIMULATE__TRIPS_PER_HOUR = '0';
  await product.start();
  await divided();
  room = await openBrowser(SIZES[1]);
  east = await openBrowser(SIZES[1]);
});

after(async () => {
  await room?.close();
  await east?.close();
  await product?.stop();
});

/** Divides the utility: Quayside is the area Harbour, which the desk Control room holds, and there is a second desk. */
async function divided() {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const call = async (method, path, body) => {
    const answer = await fetch(`${base}/api/${path}`, { method, headers: { Authorization: `Bearer ${me.token}`, 'Content-Type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) });
    const json = await answer.json();
    assert.equal(answer.status, 200, `${path}: ${json.message}`);
    return json.result;
  };
  const place = (await call('GET', `substation/substationsbyuser/${me.id}`)).find(({ AssetPointName }) => AssetPointName.includes('Quayside'));
  const { desks } = await call('GET', 'areas');
  await call('POST', 'sld/validatecredentialsfordocontrol', { Email: 'admin', Password: PASSWORD });
  const { areas } = await call('PUT', 'admin/areas', { desks: [{ id: desks[0].id, name: desks[0].name }, { name: 'East' }], areas: [{ name: 'Harbour', parts: [{ nodeId: place.AssetPointId }] }] });
  await call('POST', `areas/${areas.find(({ name }) => name === 'Harbour').id}/take`, {});
}

/** Checks the screen with axe, and takes its pictures. */
async function look(page, name) {
  assert.deepEqual(await aDoor(page, base).findings(name), []);
  if (!PICTURES) return;
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.screenshot({ path: join(PICTURES, `${name}-${size.width}.png`) });
  }
}

const focused = (page) => page.evaluate(() => document.activeElement?.dataset.testid ?? document.activeElement?.tagName.toLowerCase());
const hasFocus = (page, testId) => page.waitForFunction((wanted) => document.activeElement?.dataset.testid === wanted, testId, PATIENCE).catch(async () => assert.equal(await focused(page), testId));
const closed = (page) => page.getByRole('dialog').waitFor({ state: 'detached', ...PATIENCE });

/** Presses Tab, or Shift and Tab, until an element has the focus. */
async function tabTo(page, testId, key = 'Tab') {
  await page.getByTestId(testId).first().waitFor(PATIENCE);
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if ((await focused(page)) === testId) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${testId} is not reached with ${TABS_MAX} times ${key}`);
}

async function press(page, testId, key = 'Enter') {
  await tabTo(page, testId);
  await page.keyboard.press(key);
}

async function signedIn(page, username) {
  await page.goto(`${base}/login`);
  await tabTo(page, 'login-username');
  await page.keyboard.type(username);
  await tabTo(page, 'login-password');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByTestId('area-chip').waitFor(PATIENCE);
}

/** Selects a device in the list of the diagram by its first letters. */
async function selected(page, name) {
  const isThere = () => page.evaluate((wanted) => document.activeElement?.getAttribute('role') === 'option' && document.activeElement.textContent.startsWith(wanted), name);
  for (let pressed = 0; !(await page.evaluate(() => document.activeElement?.getAttribute('role') === 'option')); pressed += 1) {
    assert.ok(pressed < TABS_MAX, 'the list of devices is not reached');
    await page.keyboard.press('Tab');
  }
  const [first] = name.split(' ');
  await page.keyboard.type(first, { delay: 20 });
  for (let pressed = 0; !(await isThere()); pressed += 1) {
    assert.ok(pressed < 40, `${name} is not in the list`);
    await page.keyboard.press('ArrowDown');
  }
  await page.locator('.detail h2', { hasText: name }).waitFor(PATIENCE);
}

const element = (page, name) => page.evaluate((wanted) => window.__switchyard.elements().find((candidate) => candidate.name === wanted), name);

/** Starts the operation of the selected breaker, as soon as the server allows it. */
async function begun(page) {
  await page.waitForFunction(() => document.querySelector('[data-testid=action-direct]')?.disabled === false, null, PAUSE);
  await tabTo(page, 'action-direct', 'Shift+Tab');
  await page.keyboard.press('Enter');
}

/** Operates the selected breaker, and waits until the field has confirmed it. */
async function operated(page, to, picture) {
  await begun(page);
  await hasFocus(page, 'credentials-password');
  await look(page, `${picture}-credentials`);
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await hasFocus(page, 'operate-cancel');
  await page.getByTestId('consequences').locator('li').first().waitFor(PATIENCE);
  await look(page, `${picture}-confirm`);
  await page.keyboard.press('Tab');
  await hasFocus(page, 'operate-send');
  await page.keyboard.press('Space');
  await closed(page);
  await page.locator('[data-testid=command-life][data-state=DONE]').waitFor(PATIENCE);
  await page.waitForFunction((wanted) => window.__switchyard.elements().find(({ name }) => name === 'F1CB')?.meaning === wanted, to, PATIENCE);
  await look(page, `${picture}-done`);
}

test('the diagram of a feeder is reached from the search', async () => {
  const { page } = east;
  await signedIn(page, 'operator');
  await page.keyboard.press('Control+k');
  await hasFocus(page, 'palette-field');
  await page.keyboard.type('quayside f1 cb');
  await page.getByTestId('palette-entry').first().waitFor(PATIENCE);
  // Another substation has a feeder that is named after this one.
  const entry = () => page.locator('[data-testid=palette-entry][aria-selected=true]').innerText();
  for (let pressed = 0; !(await entry()).includes('33/11 kV Quayside'); pressed += 1) {
    assert.ok(pressed < 10, await entry());
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/asset=\d+/, PATIENCE);
  await press(page, 'action-feeder');
  await page.waitForURL('**/sld/feeder?id=QUAYSIDE%2FF1**', PATIENCE);
  await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
  await page.waitForFunction(() => window.__switchyard.elements().find(({ name }) => name === 'F1CB')?.live, null, PATIENCE);
  await selected(page, 'F1CB');
});

test('an area passes to the desk of the operator with the consent of its holder', async () => {
  const { page } = east;
  await tabTo(page, 'area-chip', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await hasFocus(page, 'desk');
  await page.keyboard.press('ArrowDown');
  await page.getByTestId('area-chip').filter({ hasText: 'East · no area' }).waitFor(PATIENCE);
  await hasFocus(page, 'desk');
  await look(page, '01-areas');
  await page.keyboard.press('Escape');
  await closed(page);
  await hasFocus(page, 'area-chip');
  // What the desk does not hold is not operated, and nothing is placed there.
  await selected(page, 'F1CB');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menu').waitFor(PATIENCE);
  assert.match(await page.getByTestId('menu-direct').innerText(), /Harbour is held by desk Control room/);
  const [menu, window] = [await page.getByRole('menu').boundingBox(), page.viewportSize()];
  assert.ok(menu.x + menu.width <= window.width && menu.y + menu.height <= window.height, `the menu leaves the window: ${JSON.stringify(menu)}`);
  await look(page, '02-not-held');
  await page.keyboard.press('Escape');
  for (const action of ['action-direct', 'action-tags', 'action-temporary', 'action-enter-value']) {
    assert.equal(await page.getByTestId(action).isDisabled(), true, action);
    assert.match((await page.getByTestId(action).getAttribute('data-tip')) ?? '', /Harbour is held by desk Control room/, action);
  }

  await tabTo(page, 'area-chip', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await hasFocus(page, 'desk');
  await press(page, 'area-ask');
  await hasFocus(page, 'area-reason');
  await page.keyboard.type('work on feeder F1');
  await look(page, '03-request');
  await page.keyboard.press('Enter');
  await page.getByTestId('area-own-request').waitFor(PATIENCE);
  await hasFocus(page, 'area-ask');
  await look(page, '04-requested');

  await signedIn(room.page, 'admin');
  await room.page.getByTestId('area-request').waitFor(PATIENCE);
  await look(room.page, '05-consent');
  await tabTo(room.page, 'area-request-consent', 'Shift+Tab');
  await room.page.keyboard.press('Enter');
  await room.page.getByTestId('area-request').waitFor({ state: 'detached', ...PATIENCE });
  await hasFocus(room.page, 'area-chip');
  await page.getByTestId('area-chip').filter({ hasText: 'East · Harbour' }).waitFor(PATIENCE);
  await look(page, '06-taken-over');
  await page.keyboard.press('Escape');
  await closed(page);
  await hasFocus(page, 'area-chip');
});

test('the position of a switch that no point reports is entered', async () => {
  const { page } = east;
  await selected(page, 'U1 SW-A');
  await look(page, '07-assumed');
  await tabTo(page, 'action-confirm-position', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await hasFocus(page, 'entry-open');
  await page.keyboard.press('Space');
  await tabTo(page, 'entry-reason');
  await page.keyboard.press('Enter');
  await page.locator('dialog [role=alert]', { hasText: /reason/i }).waitFor(PATIENCE);
  await hasFocus(page, 'entry-reason');
  await page.keyboard.type('opened by the crew');
  await look(page, '08-entry');
  await page.keyboard.press('Enter');
  await closed(page);
  await page.getByTestId('confirmed-state').waitFor(PATIENCE);
  assert.equal(await page.getByTestId('confirmed-state').textContent(), 'S Open');
  await hasFocus(page, 'action-confirm-position');
  const unit = await element(page, 'U1 SW-A');
  assert.deepEqual([unit.meaning, unit.assumed], ['open', false]);
  await look(page, '09-entered');
});

test('a portable earth is placed behind the open breaker', async () => {
  const { page } = east;
  await selected(page, 'F1CB');
  await operated(page, 'open', '10-open');
  await tabTo(page, 'action-temporary');
  await page.keyboard.press('Enter');
  await hasFocus(page, 'temporary-portableEarth');
  // The first end is at the busbar, which is live, the second one is not.
  await tabTo(page, 'temporary-one-1');
  await page.keyboard.press('ArrowDown');
  await hasFocus(page, 'temporary-one-2');
  await tabTo(page, 'temporary-reason');
  await page.keyboard.type('work on the cable');
  await look(page, '11-place');
  await page.keyboard.press('Enter');
  await closed(page);
  await page.getByTestId('temporary-here').waitFor(PATIENCE);
  await hasFocus(page, 'action-temporary');
  await look(page, '12-placed');
});

test('the breaker does not close onto it, with the reason, until it is removed', async () => {
  const { page } = east;
  const number = /Portable earth (\d+)/.exec(await page.getByTestId('temporary-here').innerText())[1];
  await begun(page);
  await page.getByRole('dialog').filter({ hasText: new RegExp(`portable earth ${number} at .*placed by .*Remove it first`) }).waitFor(PATIENCE);
  await hasFocus(page, 'notice-ok');
  await look(page, '13-refused');
  await page.keyboard.press('Enter');
  await closed(page);
  await hasFocus(page, 'action-direct');
  assert.equal((await element(page, 'F1CB')).meaning, 'open');

  await press(page, `temporary-remove-${number}`);
  await hasFocus(page, 'temporary-reason');
  await page.keyboard.type('work is done');
  await look(page, '14-remove');
  await page.keyboard.press('Enter');
  await closed(page);
  await page.getByTestId('temporary-here').waitFor({ state: 'detached', ...PATIENCE });
  // Its button is gone with it, so the focus is on the next one.
  await hasFocus(page, 'action-temporary');
  await operated(page, 'closed', '15-close');
  assert.deepEqual([...room.errors, ...east.errors], []);
});

test('the handover lists the entered position, which is withdrawn there', async () => {
  const { page } = east;
  await page.goto(`${base}/abnormal`);
  await page.getByTestId('entered-row').getByText('S Open', { exact: true }).waitFor(PATIENCE);
  await look(page, '16-handover');
  await press(page, 'entered-withdraw');
  await hasFocus(page, 'entry-reason');
  await page.keyboard.type('closed again by the crew');
  await page.keyboard.press('Enter');
  await closed(page);
  await page.getByText('No value is entered by hand.').waitFor(PATIENCE);
});
