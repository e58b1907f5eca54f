// The operators' desk in a real browser: a diagram that stays where it is, names that can be read, and the ways to a device.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { stillAt } from './still.mjs';

let product;
let browser;
let door;

before(async () => {
  product = await aProduct();
  await product.start();
  browser = await openBrowser({ width: 1366, height: 768 });
  // The sizes of all texts that are drawn on canvases, px on the screen, by text.
  await browser.page.addInitScript(() => {
    const own = window.CanvasRenderingContext2D.prototype.fillText;
    window.__texts = new Map();
    window.CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      const px = Number.parseFloat(/(\d+(\.\d+)?)px/.exec(this.font)?.[1] ?? '0');
      window.__texts.set(String(text), (px * this.getTransform().a) / (window.devicePixelRatio || 1));
      return own.call(this, text, ...rest);
    };
  });
  door = aDoor(browser.page, product.base);
  await door.signedIn('operator');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const isLive = () => browser.page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
const elements = () => browser.page.evaluate(() => window.__switchyard.elements());

/** Opens the diagram of a substation by its name. */
async function open(name) {
  const { page } = browser;
  await page.goto(`${product.base}/dashboard`);
  await page.getByTestId('select-location').selectOption({ label: name }, PATIENCE);
  await page.getByTestId('tab-sld').first().click(PATIENCE);
  await isLive();
  await page.waitForFunction(() => window.__switchyard.elements().length > 0, null, PATIENCE);
}

/** The position of an element in the window. */
async function placeOf(name) {
  const { page } = browser;
  return page.evaluate((wanted) => {
    const { place } = window.__switchyard.elements().find((element) => element.name === wanted);
    const box = document.querySelector('[data-testid=sld]').getBoundingClientRect();
    return { x: Math.round(box.x + place.x), y: Math.round(box.y + place.y) };
  }, name);
}

test('the best match of a search is the one that Enter selects', async () => {
  const { page } = browser;
  await page.goto(`${product.base}/eereportsnew`);
  await page.waitForFunction(() => document.querySelector('[data-testid=select-level]')?.disabled === false, null, PATIENCE);
  await page.getByTestId('select-level').selectOption('substation');
  await page.waitForFunction(() => document.querySelector('[data-testid=select-node]')?.disabled === false, null, PATIENCE);
  await page.getByTestId('select-node').click(PATIENCE);
  await page.getByTestId('select-node').fill('Quayside');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('[data-testid=select-node]').value.includes('Quayside'), null, PATIENCE);
  assert.match(await page.getByTestId('select-node').inputValue(), /Quayside/);
});

test('at 1366 x 768 every text of the diagram has 11 px, and each breaker its name', async () => {
  const { page } = browser;
  await open('33/11 kV Quayside');
  await page.evaluate(() => window.__texts.clear());
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Fit to view' }).click();
  await page.waitForFunction(() => window.__texts.size > 20, null, PATIENCE);
  const texts = await page.evaluate(() => [...window.__texts]);
  const small = texts.filter(([, px]) => px < 10.99);
  assert.deepEqual(small, []);
  const names = new Set(texts.map(([text]) => text));
  for (const { name } of (await elements()).filter((element) => element.class === 'breaker')) assert.ok(names.has(name), name);
  const list = await page.locator('.detail .elements').evaluate((own) => ({ bottom: own.getBoundingClientRect().bottom, panel: own.parentElement.getBoundingClientRect().bottom }));
  assert.ok(list.panel - list.bottom < 20, `the list of devices ends ${list.panel - list.bottom} px above the end of its panel`);
  const heads = await page.locator('.place').evaluate((place) => ({ top: place.getBoundingClientRect().top, tabs: place.querySelector('[role=tablist]').getBoundingClientRect().top }));
  assert.ok(heads.tabs - heads.top < 60, `${heads.tabs - heads.top} px of heads above the tabs`);
});

test('rows that come and go do not move the diagram', async () => {
  const { page } = browser;
  await open('33/11 kV Quayside');
  const at = await stillAt(page, 'F2CB');
  const before = { x: Math.round(at.x), y: Math.round(at.y) };
  // A row of any kind above the diagram, and its end, as the next frame sees it.
  for (const where of ['.alarm-bar', '.place-head', '.place [role=tablist]']) {
    const seen = await page.evaluate(async (selector) => {
      const row = document.createElement('div');
      Object.assign(row.style, { height: '36px', flex: 'none', gridColumn: '1 / -1' });
      const of = document.querySelector(selector);
      const places = [];
      const note = () => {
        const { place } = window.__switchyard.elements().find((element) => element.name === 'F2CB');
        const box = document.querySelector('[data-testid=sld]').getBoundingClientRect();
        places.push({ x: Math.round(box.x + place.x), y: Math.round(box.y + place.y) });
      };
      const frame = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      of.after(row);
      await frame();
      note();
      row.remove();
      await frame();
      note();
      return places;
    }, where);
    for (const place of seen) assert.deepEqual(place, before, where);
  }
});

test('a lost link moves nothing', async () => {
  const { page } = browser;
  await open('33/11 kV Quayside');
  const at = await stillAt(page, 'F2CB');
  const head = await page.getByTestId('select-location').boundingBox();
  product.kill('SIGSTOP');
  try {
    await page.getByTestId('connection-banner').waitFor({ timeout: 90_000 });
    assert.deepEqual(await page.getByTestId('select-location').boundingBox(), head);
    assert.deepEqual(await placeOf('F2CB'), { x: Math.round(at.x), y: Math.round(at.y) });
  } finally {
    product.kill('SIGCONT');
  }
  await page.getByTestId('connection-banner').waitFor({ state: 'detached', timeout: 90_000 });
  assert.deepEqual(await page.getByTestId('select-location').boundingBox(), head);
});

test('the asset of the selection is selected on the diagram, in its middle', async () => {
  const { page } = browser;
  await open('33/11 kV Quayside');
  for (let step = 0; step < 5; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
  const option = page.getByTestId('select-asset').locator('option', { hasText: 'F2 Fish Market' }).first();
  await option.waitFor({ state: 'attached', ...PATIENCE });
  await page.getByTestId('select-asset').selectOption(await option.getAttribute('value'));
  await page.locator('.detail h2', { hasText: /^F2/ }).waitFor(PATIENCE);
  const box = await page.getByTestId('sld').boundingBox();
  await page.waitForFunction(
    (middle) => window.__switchyard.selected?.()?.place && Math.abs(window.__switchyard.selected().place.x - middle.x) < 2 && Math.abs(window.__switchyard.selected().place.y - middle.y) < 2,
    { x: box.width / 2, y: box.height / 2 },
    PATIENCE,
  );
});

test('on a phone the diagram can be read, the sheet can be closed, and the zoom buttons cover nothing', async () => {
  const { page } = browser;
  await page.setViewportSize({ width: 390, height: 844 });
  try {
    await open('33/11 kV Quayside');
    const zoom = await page.locator('.zoom').boundingBox();
    const sld = await page.getByTestId('sld').boundingBox();
    assert.ok(zoom.y >= sld.y + sld.height - 1, 'the buttons are beside the diagram');
    assert.ok(Number.parseInt(await page.locator('.zoom span').innerText(), 10) >= 40, await page.locator('.zoom span').innerText());
    const breaker = (await elements()).find(({ class: type, place }) => type === 'breaker' && place.x > 30 && place.x < sld.width - 30 && place.y > 30 && place.y < sld.height - 30);
    await page.mouse.click(sld.x + breaker.place.x, sld.y + breaker.place.y);
    await page.getByTestId('detail-close').waitFor(PATIENCE);
    await page.getByTestId('detail-close').click();
    await page.locator('.detail').waitFor({ state: 'hidden', ...PATIENCE });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  } finally {
    await page.setViewportSize({ width: 1366, height: 768 });
  }
});

test('the title says which place a tab shows, and the front page goes on for a user who is signed in', async () => {
  const { page } = browser;
  await open('33/11 kV Quayside');
  await page.waitForFunction(() => /^33\/11 kV Quayside · Monitoring dashboard · ./.test(document.title), null, PATIENCE);
  await page.goto(`${product.base}/`);
  await page.waitForURL(`${product.base}/dashboard`, PATIENCE);
});

test('the event log has a past: a period with its name, and older rows', async () => {
  const { page } = browser;
  await open('33/11 kV Quayside');
  await page.getByTestId('tab-event-log').click(PATIENCE);
  await page.getByTestId('event-window-name').filter({ hasText: /^The newest 500 events$/ }).waitFor(PATIENCE);
  await page.getByTestId('event-past').click();
  await page.getByTestId('event-window-name').filter({ hasText: /^\d\d \w{3} \d{4} \d\d:\d\d to \d\d \w{3} \d{4} \d\d:\d\d$/ }).waitFor(PATIENCE);
  const first = await page.getByTestId('event-window-name').innerText();
  await page.getByTestId('event-older').click();
  await page.waitForFunction((before) => document.querySelector('[data-testid=event-window-name]').textContent !== before && !document.querySelector('[data-testid=event-older]').disabled, first, PATIENCE);
  await page.getByTestId('tab-faults').click();
  await page.getByTestId('fault-past').click(PATIENCE);
});

/** The id of the asset of a substation whose name contains a text. */
async function assetOf(location, name) {
  const me = await fetch(`${product.base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const answer = await fetch(`${product.base}/api/asset/assetsbysubstation/${location}/1,2,4,5,8,11`, { headers: { Authorization: `Bearer ${me.token}` } });
  return (await answer.json()).result.find(({ assetName }) => assetName.includes(name)).assetId;
}

/** Texts of the page, its attributes and its canvases in which a placeholder was not filled in. */
const unfilled = () =>
  browser.page.evaluate(() => {
    const texts = [document.title, ...window.__texts.keys()];
    const walker = document.createTreeWalker(document.body, window.NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!['SCRIPT', 'STYLE'].includes(walker.currentNode.parentElement?.tagName ?? '')) texts.push(walker.currentNode.textContent ?? '');
    for (const element of document.querySelectorAll('*')) for (const name of ['aria-label', 'data-tip', 'placeholder', 'title', 'alt', 'value']) if (element.hasAttribute(name)) texts.push(element.getAttribute(name) ?? '');
    return texts.filter((text) => /\{+\s*[A-Za-z_][\w .]*\}|\{\{|\}\}/.test(text));
  });

test('no text of any screen has a placeholder that was not filled in', async () => {
  const { page } = browser;
  await door.signOut();
  browser.errors.splice(0);
  await door.signedIn('admin');
  const found = [];
  const look = async (where) => {
    for (const text of await unfilled()) found.push(`${where}: ${text}`);
  };
  /** Lets a screen load: no more than two seconds, because live screens never rest. */
  const rest = async () => {
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined);
    await page.waitForFunction(() => !/Loading\.\.\./.test(document.body.innerText), null, PATIENCE);
  };
  const paths = await page.locator('.rail a').evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
  assert.ok(paths.length > 8, `${paths}`);
  const location = await page.getByTestId('select-location').locator('option', { hasText: 'Quayside' }).getAttribute('value', PATIENCE);
  const feeder = await assetOf(location, 'F2 Fish Market');
  const nodes = [`level=substation&node=${location}`, `level=asset&node=${feeder}`];
  const analytics = ['/eereportsnew', '/fareportsnew', '/assetreportsnew', '/lowcarbon'].flatMap((path) => nodes.map((node) => `${path}?${node}`));
  for (const path of [...paths, ...analytics, `/dashboard?location=${location}&tab=sld`, `/dashboard?location=${location}&tab=sld&device=e1`, '/sldnew', '/sa30i', '/nowhere', '/unauthorize']) {
    await page.goto(product.base + path);
    await page.locator('main, .board').first().waitFor(PATIENCE);
    await rest();
    await look(path);
    const tabs = await page.locator('[role=tab]').evaluateAll((list) => list.map((tab) => tab.dataset.testid));
    for (const tab of tabs) {
      if (!tab) continue;
      await page.getByTestId(tab).first().click({ timeout: 5_000 }).catch(() => undefined);
      await rest();
      await look(`${path} ${tab}`);
    }
  }
  for (const dialog of ['legend', 'help', 'alarm-list-open', 'export']) {
    await page.goto(`${product.base}/dashboard?location=${location}&tab=sld`);
    await page.getByTestId(dialog).click(PATIENCE);
    await rest();
    await look(dialog);
  }
  assert.deepEqual(found, []);
  assert.deepEqual(browser.errors, []);
});
