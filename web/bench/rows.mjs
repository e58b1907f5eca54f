// From the device's clock to the row on the screen: the event log of a busy substation left open, and how old each new row is when the page has it.
import { openBrowser } from '../e2e/browser.mjs';
import { aDoor, PATIENCE } from '../e2e/door.mjs';
import { aProduct } from '../e2e/product.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 120);
const product = await aProduct();
// Ten minutes pass in a second: there is a fault every minute or so, with a dozen events. Much faster, and the simulator itself would be late.
product.settings.SWITCHYARD__SIMULATE__SPEED = '600';
await product.start();
const browser = await openBrowser({ width: 1600, height: 1000 });
try {
  const { page } = browser;
  await aDoor(page, product.base).signedIn('operator');
  let token;
  page.on('request', (request) => (token = request.headers().authorization ?? token));
  await page.getByTestId('map-substation').filter({ hasText: 'Quayside' }).click(PATIENCE);
  await page.getByTestId('tab-event-log').click(PATIENCE);
  await page.getByTestId('event-row').first().waitFor(PATIENCE);
  const location = new URL(page.url()).searchParams.get('location');
  await page.evaluate(() => {
    const seen = new Map([...document.querySelectorAll('[data-testid=event-row]')].map((row) => [row.dataset.key, null]));
    window.seen = seen;
    new window.MutationObserver(() => {
      for (const row of document.querySelectorAll('[data-testid=event-row]')) if (!seen.has(row.dataset.key)) seen.set(row.dataset.key, Date.now());
    }).observe(document.querySelector('main'), { childList: true, subtree: true, attributes: true, attributeFilter: ['data-key'] });
  });
  await page.waitForTimeout(SECONDS * 1_000);
  const came = new Map(await page.evaluate(() => [...window.seen].filter(([, at]) => at !== null)));
  const answer = await fetch(`${product.base}/api/monitoring/dieventlog/${location}`, { headers: { authorization: token } });
  const { result } = await answer.json();
  const ages = result.flatMap((row) => (came.has(String(row.offset)) ? [came.get(String(row.offset)) - Date.parse(row.EventTime)] : [])).sort((a, b) => a - b);
  const at = (share) => ages[Math.min(ages.length - 1, Math.floor(ages.length * share))];
  if (ages.length === 0) throw new Error('no event came');
  console.log(`= rows, device's clock to the row on the screen, ${ages.length} events | median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${ages.at(-1)} ms | <= 1,000 ms`);
} finally {
  await browser.close();
  await product.stop();
}
