// The short form of the soak test (bench/soak.mjs): an open screen at ten times the rate does not hold more at the end than before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor } from './door.mjs';
import { aProduct } from './product.mjs';
import { growth, walker } from './steady.mjs';

let product;
let browser;

before(async () => {
  product = await aProduct();
  product.settings.SWITCHYARD__SIMULATE__SPEED = '10';
  await product.start();
  browser = await openBrowser({ width: 1600, height: 1000 });
  await aDoor(browser.page, product.base).signedIn('operator');
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

test('rounds through all tabs leave nothing behind', async () => {
  const round = await walker(browser.page, product.base, 150);
  const rounds = [];
  for (let number = 0; number < 6; number += 1) rounds.push(await round());
  const more = growth(rounds);
  const told = JSON.stringify({ more, rounds });
  // Tables keep new rows up to their limit, which is a few hundred rows.
  assert.ok(more.listeners <= 20, told);
  assert.ok(more.nodes <= 400, told);
  assert.ok(more.documents <= 0, told);
  assert.ok(more.heapMb <= 3, told);
});
