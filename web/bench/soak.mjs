// The soak: the dashboard left open for an hour (SOAK_MINUTES) at ten times the rate (SOAK_SPEED), walked through round after round. Heap and listeners must
// stay flat, and the picture live.
import { openBrowser } from '../e2e/browser.mjs';
import { aDoor } from '../e2e/door.mjs';
import { aProduct } from '../e2e/product.mjs';
import { growth, walker } from '../e2e/steady.mjs';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const product = await aProduct();
product.settings.SWITCHYARD__SIMULATE__SPEED = process.env.SOAK_SPEED ?? '10';
await product.start();
const browser = await openBrowser({ width: 1600, height: 1000 });
let failed;
try {
  await aDoor(browser.page, product.base).signedIn('operator');
  const round = await walker(browser.page, product.base, 5_000);
  const rounds = [];
  const end = Date.now() + MINUTES * 60_000;
  while (Date.now() < end) {
    const held = await round();
    rounds.push(held);
    console.log(`${new Date().toISOString()} round ${rounds.length}: ${held.heapMb.toFixed(1)} MB, ${held.listeners} listeners, ${held.nodes} nodes`);
  }
  const more = growth(rounds);
  failed = more.heapMb > 3 || more.listeners > 20 || more.nodes > 400;
  console.log(`= soak, ${MINUTES} min at ${product.settings.SWITCHYARD__SIMULATE__SPEED}x, growth from the second to the last third | heap ${more.heapMb.toFixed(2)} MB, ${more.listeners} listeners, ${more.nodes} nodes | flat`);
} finally {
  await browser.close();
  await product.stop();
}
process.exit(failed ? 1 : 0);
