// Areas of responsibility on the screens of two desks: an administrator divides the utility, an area passes from one desk to the other by consent, and what a
// desk does not hold cannot be operated, tagged or acknowledged from it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

let product;
let base;
/** The browsers of the desks Control room and East. */
let room;
let east;

before(async () => {
  product = await aProduct();
  base = product.base;
  await product.start();
  room = await openBrowser({ width: 1600, height: 1000 });
  east = await openBrowser({ width: 1600, height: 1000 });
});

after(async () => {
  await room?.close();
  await east?.close();
  await product?.stop();
});

const chip = (page, words, patience = PATIENCE) => page.getByTestId('area-chip').filter({ hasText: words }).waitFor(patience);

/** Opens the substation's diagram and waits until every element is live. */
async function quayside(page) {
  await page.goto(`${base}/dashboard`);
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' }, PATIENCE);
  await page.waitForFunction(() => window.__switchyard?.elements().length > 0 && window.__switchyard.elements().every((element) => element.live), null, PATIENCE);
}

async function menuOf(page, name) {
  const { x, y } = await stillAt(page, name);
  await page.mouse.click(x, y, { button: 'right' });
  await page.getByRole('menu').waitFor(PATIENCE);
}

/** The text of an entry of a device's menu. */
async function entryOf(page, name, entry) {
  await menuOf(page, name);
  const words = await page.getByTestId(entry).innerText();
  await page.keyboard.press('Escape');
  return words;
}

test('a utility with one area and one desk shows nothing of it', async () => {
  await aDoor(room.page, base).signedIn('admin');
  await quayside(room.page);
  assert.equal(await room.page.getByTestId('area-chip').count(), 0);
  assert.doesNotMatch(await entryOf(room.page, 'F2CB', 'menu-direct'), /held by/);
});

test('an administrator adds a desk and an area, with the password', async () => {
  const { page } = room;
  await page.goto(`${base}/administration?tab=areas`);
  await page.getByTestId('desk-add').click(PATIENCE);
  await page.getByTestId('desk-name').last().fill('East');
  await page.getByTestId('area-add').click();
  await page.getByTestId('area-name').last().fill('Harbour');
  const part = page.getByTestId('area-part').last();
  const value = await part.locator('option').evaluateAll((options) => options.find(({ text, value }) => value.startsWith('node') && text.includes('Quayside'))?.value);
  await part.selectOption(value);
  assert.deepEqual(await aDoor(page, base).findings('areas and desks'), []);
  await page.getByTestId('areas-save').click();
  await page.getByTestId('credentials-password').fill(PASSWORD, PATIENCE);
  await page.getByTestId('credentials-submit').click();
  await chip(page, 'Control room · Rest');
});

test('what no desk holds is not operated until a desk takes it', async () => {
  const { page } = room;
  await quayside(page);
  const words = await entryOf(page, 'F2CB', 'menu-direct');
  assert.match(words, /Harbour is held by no desk\. Take it first\./);
  // By keyboard: the chip, then the button of the area.
  await page.getByTestId('area-chip').focus();
  await page.keyboard.press('Enter');
  const take = page.getByTestId('area-take');
  await take.waitFor(PATIENCE);
  assert.deepEqual(await aDoor(page, base).findings('areas'), []);
  await take.focus();
  await page.keyboard.press('Enter');
  await chip(page, 'Harbour');
  await page.keyboard.press('Escape');
  assert.doesNotMatch(await entryOf(page, 'F2CB', 'menu-direct'), /held by/);
});

test('an area passes to the desk that requests it, with the consent of its holder, and both screens show it', async () => {
  await aDoor(east.page, base).signedIn('operator');
  await quayside(east.page);
  await east.page.getByTestId('area-chip').click(PATIENCE);
  await east.page.getByTestId('desk').selectOption({ label: 'East' });
  await chip(east.page, 'East · no area');
  await east.page.getByTestId('area-row').filter({ hasText: 'Harbour' }).getByTestId('area-ask').click();
  await east.page.getByTestId('area-reason').fill('the room is busy');
  await east.page.getByTestId('area-send').click();
  await east.page.getByTestId('area-own-request').waitFor(PATIENCE);
  await east.page.keyboard.press('Escape');
  for (const entry of ['menu-direct', 'menu-tags', 'menu-station-tags']) assert.match(await entryOf(east.page, 'F2CB', entry), /Harbour is held by desk Control room/);

  // The request is on the screen of the holder, over the diagram.
  const request = room.page.getByTestId('area-request');
  await request.waitFor(PATIENCE);
  assert.match(await request.innerText(), /East requests Harbour \(.*: the room is busy\)\./);
  assert.deepEqual(await aDoor(room.page, base).findings('request'), []);
  const diagram = await room.page.getByTestId('sld').boundingBox();
  await room.page.getByTestId('area-request-consent').click();
  const second = { timeout: 1_000 };
  await chip(east.page, 'East · Harbour', second);
  await chip(room.page, 'Control room · Rest', second);
  await request.waitFor({ state: 'detached', ...second });
  assert.deepEqual(await room.page.getByTestId('sld').boundingBox(), diagram, 'the request does not move the diagram');
  assert.match(await entryOf(room.page, 'F2CB', 'menu-direct'), /Harbour is held by desk East\. Ask for it, or let a supervisor move it\./);
  assert.doesNotMatch(await entryOf(east.page, 'F2CB', 'menu-direct'), /held by/);
});

test('a user sits down at the desk of others with their consent, and a supervisor with a reason', async () => {
  // Harbour is held by East, where the operator sits. The administrator is a supervisor.
  const desk = room.page.getByTestId('desk');
  await room.page.getByTestId('area-chip').click();
  await desk.selectOption({ label: 'East' });
  await room.page.getByTestId('seat-send').click();
  await room.page.getByRole('alert').filter({ hasText: 'Give a reason' }).waitFor(PATIENCE);
  assert.deepEqual(await aDoor(room.page, base).findings('sitting down'), []);
  await room.page.getByTestId('seat-reason').fill('relief');
  await room.page.getByTestId('seat-send').click();
  await chip(room.page, 'East · Harbour');
  await desk.selectOption({ label: 'Control room' });
  await chip(room.page, 'Control room · Rest');
  await room.page.keyboard.press('Escape');

  // The operator asks to sit at the desk Control room, which holds the rest.
  await east.page.getByTestId('area-chip').click();
  await east.page.getByTestId('desk').selectOption({ label: 'Control room' });
  await east.page.getByTestId('seat-reason').fill('to learn');
  await east.page.getByTestId('seat-send').click();
  await east.page.getByTestId('seat-own-request').waitFor(PATIENCE);
  const request = room.page.getByTestId('seat-request');
  await request.waitFor(PATIENCE);
  assert.match(await request.innerText(), /requests to sit at Control room \(to learn\)\./);
  assert.deepEqual(await aDoor(room.page, base).findings('request to sit down'), []);
  await room.page.getByTestId('seat-request-consent').click();
  await chip(east.page, 'Control room · Rest');
  await request.waitFor({ state: 'detached', ...PATIENCE });
  await east.page.getByTestId('desk').selectOption({ label: 'East' });
  await chip(east.page, 'East · Harbour');
  await east.page.keyboard.press('Escape');
});

test('a supervisor moves an area with a reason', async () => {
  const { page } = room;
  await page.getByTestId('area-chip').click();
  await page.getByTestId('area-row').filter({ hasText: 'Harbour' }).getByTestId('area-move').click();
  await page.getByTestId('area-send').click();
  await page.getByRole('alert').filter({ hasText: 'Give a reason' }).waitFor(PATIENCE);
  await page.getByTestId('area-reason').fill('East is evacuated');
  await page.getByTestId('area-send').click();
  await chip(page, 'Harbour');
  await chip(east.page, 'East · no area');
  assert.deepEqual([...room.errors, ...east.errors], []);
});
