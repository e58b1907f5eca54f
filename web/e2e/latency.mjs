// Latency from the RTU to the browser: the time from publishing a value at an edge node until it is in the page's store, sampled at each frame of a real
// Chromium. The whole product runs (SWITCHYARD_BIN, a demo with its own servers), first with the demo as background, then also with 10,000 values a second
// and 1,000 sockets that subscribe to them (RIG_LOAD). Prints p50, p95 and p99. `--short` runs a small load. Lines of figures start with `=`.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { figure, isShort, quantile, signInByRest, startEdgeNode, until, within } from '../bench/harness.mjs';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

const SAMPLES = isShort ? 20 : 300;
const LOAD = isShort ? { gateways: 5, values: 100, sockets: 10 } : { gateways: 100, values: 10_000, sockets: 1_000 };
const target = resolve(import.meta.dirname, '../..', process.env.CARGO_TARGET_DIR ?? 'target');
const loader = process.env.RIG_LOAD ?? join(target, isShort ? 'debug' : 'release', 'rig-load');

const metrics = (position, value, at = Date.now()) => {
  return [
    { name: 'L1CB/Pos', value: position, type: 'Int32', timestamp: at },
    { name: 'L1/P', value, type: 'Double', timestamp: at },
  ];
};

/** Starts the load generator. Returns its standard input when the whole load runs. */
async function startLoad(product, login, get) {
  const { gateways, values, sockets } = LOAD;
  const sizes = ['--gateways', gateways, '--values', values, '--sockets', sockets].map(String);
  const port = new URL(product.base).port;
  const child = spawn(loader, ['--mqtt', `mqtt://${product.settings.SWITCHYARD__MQTT__LISTEN}`, '--port', port, '--token', login.token, ...sizes], { stdio: ['pipe', 'pipe', 'inherit'] });
  // The load generator has already printed its own error.
  const ended = new Promise((_, reject) => {
    child.once('error', (error) => reject(new Error(`the load generator does not start: ${error.message}; build it with cargo build --package rig`)));
    child.once('exit', (code, signal) => reject(new Error(`the load generator ended (${signal ?? `exit ${code}`})`)));
  });
  // The end of the load generator after the measurement is no error.
  ended.catch(() => undefined);
  const loaded = new Promise((done) => child.stdout.on('data', (text) => String(text).includes('loaded') && done()));
  let known = [];
  const discovered = until(`${gateways} gateways of the load discovered`, async () => {
    known = (await get(`substation/substationsbyclient/${login.clientId}`)).filter((row) => row.AssetPointName.includes('RIG'));
    return known.length >= gateways;
  }, 120);
  await Promise.race([discovered, ended]);
  child.stdin.write(`${known.map((row) => row.AssetPointId).join(',')}\n`);
  await within('the load', Promise.race([loaded, ended]), 120);
  return child.stdin;
}

/**
 * Publishes the samples at irregular intervals, so that they do not fall into step with frames and windows, and prints the delays. A value that a newer one
 * replaces before the next frame counts with the arrival of the newer one, so that a slow machine leaves out no sample.
 */
async function measure(page, node, background, aim) {
  const published = [];
  for (let turn = 1; turn <= SAMPLES; turn += 1) {
    published.push(Date.now());
    node.publish(metrics(1 + (turn % 2), turn, published.at(-1)));
    await new Promise((wake) => setTimeout(wake, 83 + (turn % 17)));
  }
  const seen = await until(`${background}: the last of ${SAMPLES} values in the page`, async () => {
    const all = await page.evaluate(() => window.__seen);
    return Object.values(all).every((list) => list.at(-1)?.[0] >= published.at(-1)) && all;
  });
  for (const [what, list] of Object.entries(seen)) {
    const delays = published.map((time) => list.find(([source]) => source >= time)[1] - time).sort((a, b) => a - b);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(delays, share));
    console.log(`RTU to browser, ${what}, ${background}: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms (${delays.length} samples, at most one frame of 16 ms of it is sampling)`);
    if (what === 'position') figure(`position from RTU to browser, ${background}, p99 ms`, p99, aim);
  }
}

const product = await aProduct();
Object.assign(product.settings, { SWITCHYARD__HISTORY__DEMO_DAYS: '0', SWITCHYARD__HUB__SOCKETS_PER_SESSION: '2000', SWITCHYARD__HUB__SOCKETS_PER_MEMBER: '2000' });
const browser = await openBrowser();
let node;
let failure;
try {
  await product.start();
  node = await startEdgeNode(product.settings.SWITCHYARD__MQTT__LISTEN, 'LATENCY', metrics(1, 0));
  const { login, get } = await signInByRest(product.base, 'admin', PASSWORD);
  const place = await until('the substation of the edge node', async () =>
    (await get(`substation/substationsbyclient/${login.clientId}`)).find((row) => row.AssetPointName.includes('LATENCY')),
  );
  const rows = await until('the two points of the edge node', async () => {
    const { gdsData } = await get(`sld/sldgenericdatavalues/location/${place.AssetPointId}`);
    return gdsData.length >= 2 && gdsData;
  });
  const idOf = (name) => rows.find((row) => row.pointName === name)?.pointId;

  const { page } = browser;
  await aDoor(page, product.base).signedIn('admin');
  await page.goto(`${product.base}/dashboard?tab=analog-realtime&view=points`);
  await page.getByTestId('select-location').selectOption(String(place.AssetPointId));
  await page.locator('[data-testid=point-row][data-quality=good]').first().waitFor(PATIENCE);
  await page.evaluate(([position, measurand]) => {
    // Source time of each value, and time of the first frame with it.
    window.__seen = { position: [], measurand: [] };
    const sample = () => {
      const points = window.__switchyard.points();
      for (const [what, id] of [['position', position], ['measurand', measurand]]) {
        const t = points[id]?.t;
        if (t !== undefined && t !== window.__seen[what].at(-1)?.[0]) window.__seen[what].push([t, Date.now()]);
      }
      requestAnimationFrame(sample);
    };
    requestAnimationFrame(sample);
  }, [idOf('L1/L1CB/Pos'), idOf('L1/L1/P')]);

  await measure(page, node, "with the demo's field");
  const load = await startLoad(product, login, get);
  await measure(page, node, `${LOAD.values} values/s and ${LOAD.sockets} sockets`, '<= 50');
  load.end();
} catch (error) {
  failure = error;
} finally {
  node?.stop();
  await browser.close();
  await product.stop();
}
if (failure) console.error(`latency: ${failure.message}`);
process.exit(failure ? 1 : 0);
