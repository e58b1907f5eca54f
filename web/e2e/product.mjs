// The real program with the demo's data on free ports and in a folder of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const program = process.env.SWITCHYARD_BIN ?? join(root, process.env.CARGO_TARGET_DIR ?? 'target', 'debug/switchyard');

function freePort() {
  return new Promise((give) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => give(port));
    });
  });
}

/** A program that is not started yet; `settings` are its environment and may be changed between two starts. */
export async function aProduct() {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-demo-'));
  const [http, mqtt] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${http}`;
  const settings = { SWITCHYARD__HTTP__LISTEN: `127.0.0.1:${http}`, SWITCHYARD__MQTT__LISTEN: `127.0.0.1:${mqtt}`, SWITCHYARD__HTTP__WEB: join(root, 'web/dist'), SWITCHYARD__HTTP__PUBLIC_URL: base };
  let child;
  const ended = () => new Promise((done) => (!child || child.exitCode !== null || child.signalCode !== null ? done() : child.once('exit', done)));
  return {
    base,
    folder,
    settings,
    async start() {
      child = spawn(program, ['all', '--demo'], { cwd: folder, env: { ...process.env, DATABASE_URL: '', MQTT_URL: '', SWITCHYARD__HISTORY__DEMO_DAYS: '2', ...settings }, stdio: ['ignore', 'inherit', 'inherit'] });
      const deadline = Date.now() + 60_000;
      while (Date.now() < deadline) {
        const ready = await fetch(`${base}/readyz`).then((answer) => answer.ok, () => false);
        if (ready) return;
        await new Promise((wake) => setTimeout(wake, 100));
      }
      throw new Error('the demo is not ready after 60 s');
    },
    kill: (signal) => child?.kill(signal),
    ended,
    async stop() {
      child?.kill('SIGINT');
      await ended();
      rmSync(folder, { recursive: true, force: true });
      // As root the data is elsewhere: PostgreSQL's own user may not enter the folder.
      rmSync(join('/var/lib/switchyard', `${folder.slice(1).replaceAll('/', '-')}-var`), { recursive: true, force: true });
    },
  };
}
