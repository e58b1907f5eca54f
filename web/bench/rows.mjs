// Delay from the device's clock to the row on the screen: a breaker of our own edge node moves at irregular intervals while the demo runs, and the
// event log of its substation is open. The delay of a new row is the time from its device's time until the page has painted it.
import { openBrowser } from '../e2e/browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from '../e2e/door.mjs';
import { aProduct } from '../e2e/product.mjs';
import { figure, isShort, quantile, signInByRest, startEdgeNode, until } from './harness.mjs';

const MOVES = isShort ? 8 : 200;
const product = await aProduct();
if (isShort) product.settings.SWITCHYARD__HISTORY__DEMO_DAYS = '0';
const browser = await openBrowser({ width: 1600, height: 1000 });
let node;
try {
  await product.start();
  const metrics = (position) => {
    const at = Date.now();
    return [{ name: 'L1CB/Pos', value: position, type: 'Int32', timestamp: at }];
  };
  node = await startEdgeNode(product.settings.SWITCHYARD__MQTT__LISTEN, 'ROWS', metrics(1));
  const { login, get } = await signInByRest(product.base, 'admin', PASSWORD);
  const place = await until('the substation of the edge node', async () =>
    (await get(`substation/substationsbyclient/${login.clientId}`)).find((row) => row.AssetPointName.includes('ROWS')),
  );
  // The first move is an event only if the breaker already has a position.
  await until('the first position of the edge node', async () => {
    const { gdsData } = await get(`sld/sldgenericdatavalues/location/${place.AssetPointId}`);
    return gdsData.some((row) => row.pointName === 'L1/L1CB/Pos' && row.value !== null);
  });

  const { page } = browser;
  await aDoor(page, product.base).signedIn('admin');
  await page.goto(`${product.base}/dashboard?location=${place.AssetPointId}&tab=event-log`);
  await page.getByTestId('tab-event-log').waitFor(PATIENCE);
  await page.evaluate(() => {
    window.seen = new Map();
    new window.MutationObserver(() => {
      const rows = [...document.querySelectorAll('[data-testid=event-row]')].filter((row) => !window.seen.has(row.dataset.key));
      // The time after the frame that shows the rows.
      if (rows.length > 0) requestAnimationFrame(() => setTimeout(() => rows.forEach((row) => window.seen.set(row.dataset.key, Date.now()))));
      for (const row of rows) window.seen.set(row.dataset.key, 0);
    }).observe(document.querySelector('main'), { childList: true, subtree: true, attributes: true, attributeFilter: ['data-key'] });
  });
  for (let move = 1; move <= MOVES; move += 1) {
    node.publish(metrics(1 + (move % 2)));
    // Irregular intervals, so that moves do not fall into step with frames and heartbeats.
    await new Promise((wake) => setTimeout(wake, 183 + (move % 17) * 7));
  }
  let rows = [];
  await until(() => `${rows.length} of ${MOVES} events are in the event log`, async () => {
    rows = await get(`monitoring/dieventlog/${place.AssetPointId}`);
    return rows.length >= MOVES;
  });
  let painted = new Map();
  await until(() => `${painted.size} of ${MOVES} events are on the screen`, async () => {
    painted = new Map(await page.evaluate(() => [...window.seen].filter(([, at]) => at > 0)));
    return painted.size >= MOVES * 0.95;
  });
  const ages = rows.flatMap((row) => (painted.has(String(row.offset)) ? [painted.get(String(row.offset)) - Date.parse(row.EventTime)] : [])).sort((a, b) => a - b);
  if (ages.length === 0) throw new Error('no row of the event log was seen on the screen');
  figure(`device's clock to the row on the screen, ${ages.length} events, p95 ms (median ${quantile(ages, 0.5)}, worst ${ages.at(-1)})`, quantile(ages, 0.95), '<= 1000');
} finally {
  node?.stop();
  await browser.close();
  await product.stop();
}
process.exit(0);
