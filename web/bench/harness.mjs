// Common parts of the browser benchmarks: sizes, output, waits with a limit, a page of this folder in a real browser, and an edge node.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

/** Whether the short form runs. It takes a few seconds and shows that the benchmark works. Its figures mean nothing. */
export const isShort = process.argv.includes('--short');

/** Prints a figure for `scripts/bench`: a number, and an optional target such as `<= 100`. */
export function figure(what, number, aim = '') {
  console.log(`= ${what} | ${number} | ${aim}`);
}

/** Waits until `query` returns a truthy value and returns it. After the limit it throws an error with `what`, a text or a function that returns one. */
export async function until(what, query, limitS = 60) {
  for (const deadline = Date.now() + limitS * 1_000; Date.now() < deadline; ) {
    const answer = await query();
    if (answer) return answer;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`${typeof what === 'function' ? what() : what}: not within ${limitS} s`);
}

/** Rejects if `promise` takes longer than the limit. */
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

/** The quantile of a sorted list for a share from 0 to 1. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Builds a page of this folder and opens it. Returns the page, a function that reads the browser's metrics, and `close`. */
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

/** Runs `window.bench.run` with these arguments. Returns its result with frames a second, and the time shares of script and of all tasks in percent. */
export async function measured({ page, metrics }, args) {
  const before = await metrics();
  const result = await page.evaluate((values) => window.bench.run(...values), args);
  const after = await metrics();
  const share = (name) => ((after[name] - before[name]) / (after.Timestamp - before.Timestamp)) * 100;
  return { ...result, fps: result.frames / result.seconds, script: share('ScriptDuration'), task: share('TaskDuration') };
}

const fromClients = createRequire(resolve(import.meta.dirname, '../../crates/switchyard/tests/clients/package.json'));

/** Waits until ingest reports that it is online. Births published before it has subscribed are lost, because the client publishes them with QoS 0. */
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

/** Connects a Sparkplug edge node of the demo utility and publishes its births, again after each rebirth request. `metrics` are those of its only device. */
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
    // These nodes receive no command other than the rebirth request.
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

/** Signs in over REST. Returns the login, and `get`, which returns the result of a path. */
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
