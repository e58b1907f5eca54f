// From the device's clock to the row on the screen: a breaker of an edge node of our own moves at an odd pace while the demo's field runs beside it, the
// event log of its substation is open, and each new row is as old as its device says when the page has painted it.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { openBrowser } from '../e2e/browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from '../e2e/door.mjs';
import { aProduct } from '../e2e/product.mjs';

const MOVES = Number(process.env.BENCH_MOVES ?? 200);
const { newClient } = createRequire(join(resolve(import.meta.dirname, '../..'), 'crates/switchyard/tests/clients/package.json'))('sparkplug-client');
const product = await aProduct();
await product.start();
const until = async (ask) => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error('waited for a minute in vain');
};
const browser = await openBrowser({ width: 1600, height: 1000 });
const node = newClient({
  serverUrl: `mqtt://${product.settings.SWITCHYARD__MQTT__LISTEN}`, username: '', password: '', groupId: 'SAGAR', edgeNode: 'ROWS', clientId: 'rows', version: 'spBv1.0', publishDeath: true,
});
try {
  const metrics = (at, position) => ({ timestamp: at, metrics: [{ name: 'L1CB/Pos', value: position, type: 'Int32', timestamp: at }] });
  await new Promise((born) => node.once('birth', born));
  node.publishNodeBirth({ timestamp: Date.now(), metrics: [] });
  node.publishDeviceBirth('L1', metrics(Date.now(), 1));

  const form = new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' });
  const login = await (await fetch(`${product.base}/api/token`, { method: 'POST', body: form })).json();
  const ask = async (path) => (await (await fetch(`${product.base}/api/${path}`, { headers: { Authorization: `Bearer ${login.token}` } })).json()).result;
  const place = await until(async () => (await ask(`substation/substationsbyclient/${login.clientId}`)).find((row) => row.AssetPointName.includes('ROWS')));

  const { page } = browser;
  await aDoor(page, product.base).signedIn('admin');
  await page.goto(`${product.base}/dashboard?location=${place.AssetPointId}&tab=event-log`);
  await page.getByTestId('tab-event-log').waitFor(PATIENCE);
  await page.evaluate(() => {
    window.seen = new Map();
    new window.MutationObserver(() => {
      const rows = [...document.querySelectorAll('[data-testid=event-row]')].filter((row) => !window.seen.has(row.dataset.key));
      // After the frame that shows them.
      if (rows.length > 0) requestAnimationFrame(() => setTimeout(() => rows.forEach((row) => window.seen.set(row.dataset.key, Date.now()))));
      for (const row of rows) window.seen.set(row.dataset.key, 0);
    }).observe(document.querySelector('main'), { childList: true, subtree: true, attributes: true, attributeFilter: ['data-key'] });
  });
  for (let move = 1; move <= MOVES; move += 1) {
    node.publishDeviceData('L1', metrics(Date.now(), 1 + (move % 2)));
    // An odd pace, so that moves do not fall into step with frames and beats.
    await new Promise((wake) => setTimeout(wake, 183 + (move % 17) * 7));
  }
  const rows = await until(async () => {
    const rows = await ask(`monitoring/dieventlog/${place.AssetPointId}`);
    return rows.length >= MOVES && rows;
  });
  const painted = await until(async () => {
    const painted = new Map(await page.evaluate(() => [...window.seen].filter(([, at]) => at > 0)));
    return painted.size >= MOVES * 0.95 && painted;
  });
  const ages = rows.flatMap((row) => (painted.has(String(row.offset)) ? [painted.get(String(row.offset)) - Date.parse(row.EventTime)] : [])).sort((a, b) => a - b);
  const at = (share) => ages[Math.min(ages.length - 1, Math.floor(ages.length * share))];
  console.log(`= rows, device's clock to the row on the screen, ${ages.length} events | median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms | <= 1,000 ms`);
} finally {
  node.stop();
  await browser.close();
  await product.stop();
}
process.exit(0);
