// The soak test: the dashboard is open for an hour (SOAK_MINUTES) at ten times the rate (SOAK_SPEED), and its tabs are opened in rounds. Heap and
// listeners must not grow, and the diagram must stay live.
import { openBrowser } from '../e2e/browser.mjs';
import { aDoor } from '../e2e/door.mjs';
import { aProduct } from '../e2e/product.mjs';
import { growth, walker } from '../e2e/steady.mjs';
import { figure } from './harness.mjs';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
/** Largest growth from the second third to the last third of the rounds. */
const LIMITS = { heapMb: 3, listeners: 20, nodes: 400 };
const product = await aProduct();
product.settings.SWITCHYARD__SIMULATE__SPEED = process.env.SOAK_SPEED ?? '10';
const browser = await openBrowser({ width: 1600, height: 1000 });
let more;
try {
  await product.start();
  await aDoor(browser.page, product.base).signedIn('operator');
  const round = await walker(browser.page, product.base, 5_000);
  const rounds = [];
  const end = Date.now() + MINUTES * 60_000;
  // At least three rounds, because thirds are compared.
  while (Date.now() < end || rounds.length < 3) {
    const held = await round();
    rounds.push(held);
    console.log(`${new Date().toISOString()} round ${rounds.length}: ${held.heapMb.toFixed(1)} MB, ${held.listeners} listeners, ${held.nodes} nodes`);
  }
  more = growth(rounds);
  const form = `${MINUTES} min at ${product.settings.SWITCHYARD__SIMULATE__SPEED}x, growth from the second to the last third`;
  for (const [name, limit] of Object.entries(LIMITS)) figure(`browser soak, ${form}, ${name}`, Number(more[name].toFixed(2)), `<= ${limit}`);
} finally {
  await browser.close();
  await product.stop();
}
process.exit(Object.entries(LIMITS).some(([name, limit]) => more[name] > limit) ? 1 : 0);
