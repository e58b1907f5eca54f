// The proxy of the deployment, a real Caddy with the file as shipped: the server that a user selects at sign-in gets the requests.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from './product.mjs';

const caddy = execFileSync(resolve(import.meta.dirname, '../../scripts/services'), ['caddy'], { encoding: 'utf8' }).trim();
const isThere = caddy !== '';
/** A missing program is an error only in continuous integration. */
const options = { skip: !isThere && !process.env.CI && 'Caddy: `scripts/services install` provides it' };
const folder = mkdtempSync(join(tmpdir(), 'switchyard-proxy-'));
const servers = [];
let proxy;
let base;

/** Starts a server that answers with its name, the forwarded address, and the path. Returns its address. */
async function named(name) {
  const port = await freePort();
  const server = http.createServer((request, response) => response.end(`${name} ${request.headers['x-forwarded-for']} ${request.url}`));
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  servers.push(server);
  return `127.0.0.1:${port}`;
}

before(async () => {
  if (options.skip) return;
  base = `http://127.0.0.1:${await freePort()}`;
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, SITE: base, SERVER_2_KEY: 'north' };
  for (const [setting, name] of [['SERVER_1_API', 'first api'], ['SERVER_1_HUB', 'first hub'], ['SERVER_2_API', 'north api'], ['SERVER_2_HUB', 'north hub']]) env[setting] = await named(name);
  proxy = spawn(caddy, ['run', '--adapter', 'caddyfile', '--config', resolve(import.meta.dirname, '../../deploy/Caddyfile')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  await new Promise((done, failed) => {
    proxy.once('exit', (code) => failed(new Error(`caddy has ended with ${code}: ${log}`)));
    proxy.stderr.on('data', (text) => {
      log += text;
      if (log.includes('serving initial configuration')) done();
    });
  });
});

after(async () => {
  for (const server of servers) server.close();
  proxy?.removeAllListeners('exit');
  proxy?.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

const answer = async (path, cookie) => (await fetch(`${base}${path}`, { headers: cookie ? { cookie, 'x-forwarded-for': '192.0.2.7' } : {} })).text();

test('without a choice, and with an unknown one, the first server answers', options, async () => {
  assert.equal(await answer('/api/token'), 'first api 127.0.0.1 /api/token');
  assert.equal(await answer('/api/token', 'switchyard-server=elsewhere'), 'first api 127.0.0.1 /api/token');
  assert.equal(await answer('/socket.io/?EIO=4', 'switchyard-server=elsewhere'), 'first hub 127.0.0.1 /socket.io/?EIO=4');
});

test('the selected server answers requests and the live socket', options, async () => {
  assert.equal(await answer('/api/token', 'a=b; switchyard-server=north'), 'north api 127.0.0.1 /api/token');
  assert.equal(await answer('/socket.io/?EIO=4', 'switchyard-server=north'), 'north hub 127.0.0.1 /socket.io/?EIO=4');
});

test('metrics stay inside whatever the choice', options, async () => {
  assert.equal((await fetch(`${base}/metrics`, { headers: { cookie: 'switchyard-server=north' } })).status, 404);
});
