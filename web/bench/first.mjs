// Time until the first diagram is drawn with its values: cold cache, slow network, the real program with the demo.
import { openBrowser } from '../e2e/browser.mjs';
import { aDoor, PATIENCE } from '../e2e/door.mjs';
import { aProduct } from '../e2e/product.mjs';
import { figure, isShort } from './harness.mjs';

const RUNS = isShort ? 1 : 5;
const CASES = [
  { name: '20 Mbit/s, 20 ms', bits: 20e6, latency: 20, slower: 1, aim: '<= 1000' },
  { name: '4 Mbit/s, 80 ms, a processor four times slower', bits: 4e6, latency: 80, slower: 4, aim: '<= 2500' },
];

const product = await aProduct();
if (isShort) product.settings.SWITCHYARD__HISTORY__DEMO_DAYS = '0';
const browser = await openBrowser({ width: 1600, height: 900 });
try {
  await product.start();
  const { page } = browser;
  await aDoor(page, product.base).signedIn('operator');
  await page.getByTestId('select-location').selectOption({ label: '33/11 kV Quayside' });
  await page.waitForFunction(() => performance.getEntriesByName('sld-drawn').length > 0, null, PATIENCE);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  for (const { name, bits, latency, slower, aim } of CASES) {
    await cdp.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: bits / 8, uploadThroughput: bits / 8 });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      await page.reload();
      await page.waitForFunction(() => performance.getEntriesByName('sld-drawn').length > 0, null, { timeout: 60_000 });
      times.push(await page.evaluate(() => performance.getEntriesByName('sld-drawn')[0].startTime));
    }
    const sorted = times.toSorted((a, b) => a - b);
    figure(`first diagram, ${name}, ms (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`, sorted[Math.floor(RUNS / 2)].toFixed(0), aim);
  }
} finally {
  await browser.close();
  await product.stop();
}
