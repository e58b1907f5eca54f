// What the browser's benchmarks share: the two sizes, figure lines, waits with a limit, a page of this folder in a real browser, and an edge node.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

/** Whether the short form runs: a few seconds that show that the benchmark works. Its figures mean nothing. */
export const isShort = process.argv.includes('--short');

/** Prints a figure for `scripts/bench`: a number, and an aim such as `<= 100` or none. */
export function figure(what, number, aim = '') {
  console.log(`= ${what} | ${number} | ${aim}`);
}

/** Waits until `query` answers something true, which is returned. Throws an error with `what`, a text or a function that returns one, after the limit. */
export async function until(what, query, limitS = 60) {
  for (const deadline = Date.now() + limitS * 1_000; Date.now() < deadline; ) {
    const answer = await query();
    if (answer) return answer;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`${typeof what === 'function' ? what() : what}: not within ${limitS} s`);
}

/** Rejects when `promise` takes longer than the limit. */
export async function within(what, promise, limitS = 30) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${limitS} s`)), limitS * 1_000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The value below which this share of a sorted list lies. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Builds a page of this folder and opens it; returns the page, the browser's metrics as a function, and `close`. */
export async function openBenchPage(file, plugins = []) {
  const root = resolve(import.meta.dirname);
  const outDir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const common = { root, configFile: false, logLevel: 'error' };
  await build({ ...common, plugins, build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, file) } } });
  const server = await preview({ ...common, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  const browser = await openBrowser({ width: 1600, height: 900 });
  const { page } = browser;
  await page.goto(new URL(file, server.resolvedUrls.local[0]).href);
  await page.waitForFunction(() => window.bench);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  return {
    page,
    metrics: async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value])),
    close: async () => {
      await browser.close();
      await server.close();
      rmSync(outDir, { recursive: true, force: true });
    },
  };
}

/** Runs `window.bench.run` with these arguments; returns its result with frames a second and the shares of script and of all tasks in percent. */
export async function measured({ page, metrics }, args) {
  const before = await metrics();
  const result = await page.evaluate((values) => window.bench.run(...values), args);
  const after = await metrics();
  const share = (name) => ((after[name] - before[name]) / (after.Timestamp - before.Timestamp)) * 100;
  return { ...result, fps: result.frames / result.seconds, script: share('ScriptDuration'), task: share('TaskDuration') };
}

const fromClients = createRequire(resolve(import.meta.dirname, '../../crates/switchyard/tests/clients/package.json'));

/** Waits until ingest says that it is online. Births that are published before it has subscribed are lost: the client publishes them with QoS 0. */
async function ingestIsOnline(mqtt) {
  const client = fromClients('mqtt').connect(`mqtt://${mqtt}`);
  try {
    await within(`the STATE message of ingest on ${mqtt}`, new Promise((done, reject) => {
      client.on('message', (_, payload) => JSON.parse(String(payload)).online && done());
      client.on('error', reject);
      client.subscribe('spBv1.0/STATE/+');
    }), 60);
  } finally {
    client.end();
  }
}

/** Connects a Sparkplug edge node of the demo utility and publishes its births, again whenever ingest requests them; `metrics` are those of its one device. */
export async function startEdgeNode(mqtt, name, metrics) {
  await ingestIsOnline(mqtt);
  const { newClient } = fromClients('sparkplug-client');
  const node = newClient({ serverUrl: `mqtt://${mqtt}`, username: '', password: '', groupId: 'SAGAR', edgeNode: name, clientId: name.toLowerCase(), version: 'spBv1.0', publishDeath: true });
  let latest = metrics;
  const publishBirths = () => {
    node.publishNodeBirth({ timestamp: Date.now(), metrics: [] });
    node.publishDeviceBirth('L1', { timestamp: Date.now(), metrics: latest });
  };
  const connected = new Promise((done, reject) => {
    node.on('birth', () => {
      publishBirths();
      done();
    });
    // The only command that these nodes get.
    node.on('ncmd', publishBirths);
    node.on('error', reject);
  });
  await within(`the connection of an edge node to ${mqtt}`, connected);
  return {
    publish: (changes) => {
      latest = changes;
      node.publishDeviceData('L1', { timestamp: Date.now(), metrics: changes });
    },
    stop: () => node.stop(),
  };
}

/** Signs in at the REST interface; returns the login and `get`, which reads the result of a path. */
export async function signInByRest(base, username, password) {
  const answer = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username, password, feui: '1' }) });
  const login = await answer.json();
  if (!answer.ok || !login.token) throw new Error(`sign-in as ${username}: ${answer.status} ${JSON.stringify(login)}`);
  const get = async (path) => {
    const read = await fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${login.token}` } });
    if (!read.ok) throw new Error(`GET /api/${path}: ${read.status} ${await read.text()}`);
    return (await read.json()).result;
  };
  return { login, get };
}
