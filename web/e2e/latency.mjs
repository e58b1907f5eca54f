// From the RTU to the browser: how long until a value that an edge node published is in the page's store, sampled at each frame of a real Chromium.
// The whole product runs (SWITCHYARD_BIN, a demo with its own servers), first with the demo's field as background, then also with 10,000 values a second
// and 1,000 sockets that watch them (RIG_LOAD). Prints p50, p95 and p99; a line that begins with = is for the table at the end of make bench.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openBrowser } from './browser.mjs';

const SAMPLES = 300;
const root = resolve(import.meta.dirname, '../..');
const { newClient } = createRequire(join(root, 'crates/switchyard/tests/clients/package.json'))('sparkplug-client');
const program = process.env.SWITCHYARD_BIN ?? join(root, 'target/release/switchyard');
const loader = process.env.RIG_LOAD ?? join(root, 'target/release/rig-load');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-latency-'));

const freePort = () =>
  new Promise((give) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => give(port));
    });
  });
const until = async (ask) => {
  for (let turn = 0; turn < 600; turn += 1) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error('waited for a minute in vain');
};

const [http, mqtt] = [await freePort(), await freePort()];
const base = `http://127.0.0.1:${http}`;
const product = spawn(program, ['all', '--demo'], {
  cwd: folder,
  env: { ...process.env, DATABASE_URL: '', MQTT_URL: '', SWITCHYARD__HISTORY__DEMO_DAYS: '0', SWITCHYARD__HTTP__LISTEN: `127.0.0.1:${http}`, SWITCHYARD__MQTT__LISTEN: `127.0.0.1:${mqtt}`, SWITCHYARD__HTTP__WEB: join(root, 'web/dist'), SWITCHYARD__HUB__SOCKETS_PER_SESSION: '2000', SWITCHYARD__HUB__SOCKETS_PER_MEMBER: '2000' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const browser = await openBrowser();
try {
  await until(() => fetch(`${base}/readyz`).then((answer) => answer.ok, () => false));
  const node = newClient({ serverUrl: `mqtt://127.0.0.1:${mqtt}`, username: '', password: '', groupId: 'SAGAR', edgeNode: 'LATENCY', clientId: 'latency', version: 'spBv1.0', publishDeath: true });
  const metrics = (at, position, value) => ({ timestamp: at, metrics: [{ name: 'L1CB/Pos', value: position, type: 'Int32', timestamp: at }, { name: 'L1/P', value, type: 'Double', timestamp: at }] });
  await new Promise((born) => node.once('birth', born));
  node.publishNodeBirth({ timestamp: Date.now(), metrics: [] });
  node.publishDeviceBirth('L1', metrics(Date.now(), 1, 0));

  const login = await (await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: 'switchyard-demo', feui: '1' }) })).json();
  const get = async (path) => (await (await fetch(`${base}/api/${path}`, { headers: { Authorization: `Bearer ${login.token}` } })).json()).result;
  const place = await until(async () => (await get(`substation/substationsbyclient/${login.clientId}`)).find((row) => row.AssetPointName.includes('LATENCY')));
  const rows = await until(async () => {
    const { gdsData } = await get(`sld/sldgenericdatavalues/location/${place.AssetPointId}`);
    return gdsData.length >= 2 && gdsData;
  });
  const idOf = (name) => rows.find((row) => row.pointName === name).pointId;

  const { page } = browser;
  await page.goto(`${base}/login?redirect=${encodeURIComponent('/dashboard?tab=analog-realtime&view=points')}`);
  await page.getByTestId('login-username').fill('admin');
  await page.getByTestId('login-password').fill('switchyard-demo');
  await page.getByTestId('login-submit').click();
  await page.getByTestId('select-location').selectOption(String(place.AssetPointId));
  await page.locator('[data-testid=point-row][data-quality=good]').first().waitFor();
  await page.evaluate(([position, measurand]) => {
    window.__delays = { position: [], measurand: [] };
    const seen = {};
    const sample = () => {
      const points = window.__switchyard.points();
      for (const [what, id] of [['position', position], ['measurand', measurand]]) {
        const t = points[id]?.t;
        if (t !== undefined && t !== seen[what]) {
          if (seen[what] !== undefined) window.__delays[what].push(Date.now() - t);
          seen[what] = t;
        }
      }
      requestAnimationFrame(sample);
    };
    requestAnimationFrame(sample);
  }, [idOf('L1/L1CB/Pos'), idOf('L1/L1/P')]);

  const measure = async (background, aim) => {
    await page.evaluate(() => Object.values(window.__delays).forEach((list) => list.splice(0)));
    for (let turn = 1; turn <= SAMPLES; turn += 1) {
      node.publishDeviceData('L1', metrics(Date.now(), 1 + (turn % 2), turn));
      // An odd pace, so that the samples do not fall into step with frames and windows.
      await new Promise((wake) => setTimeout(wake, 83 + (turn % 17)));
    }
    const delays = await until(() => page.evaluate((count) => window.__delays.position.length >= count * 0.9 && window.__delays, SAMPLES));
    for (const [what, list] of Object.entries(delays)) {
      list.sort((a, b) => a - b);
      const at = (share) => list[Math.min(list.length - 1, Math.floor(list.length * share))];
      console.log(`RTU to browser, ${what}, ${background}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms (${list.length} samples, at most one frame of 16 ms of it is sampling)`);
      if (what === 'position' && aim) console.log(`= position from RTU to browser, ${background}, p99 ms | ${at(0.99)} | ${aim}`);
    }
  };
  await measure("with the demo's field");

  const load = spawn(loader, ['--mqtt', `mqtt://127.0.0.1:${mqtt}`, '--port', String(http), '--token', login.token], { stdio: ['pipe', 'pipe', 'inherit'] });
  const substations = await until(async () => {
    const known = (await get(`substation/substationsbyclient/${login.clientId}`)).filter((row) => row.AssetPointName.includes('RIG'));
    return known.length >= 100 && known;
  });
  const loaded = new Promise((done) => load.stdout.on('data', (text) => String(text).includes('loaded') && done()));
  load.stdin.write(`${substations.map((row) => row.AssetPointId).join(',')}\n`);
  await loaded;
  await measure('10,000 values/s and 1,000 sockets', '<= 50');
  load.stdin.end();
  node.stop();
} finally {
  await browser.close();
  product.kill('SIGINT');
  await new Promise((done) => product.once('exit', done));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
