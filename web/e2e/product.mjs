// The real program with the demo's data, on free ports and in its own folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const program = process.env.SWITCHYARD_BIN ?? join(root, process.env.CARGO_TARGET_DIR ?? 'target', 'debug/switchyard');

// Ports below 32768 are not used for outgoing connections, so a port that is free here is still free when the program opens it. Each process has
// its own eight ports, because several processes run at the same time.
const PORTS = 8;
const first = 12_000 + (process.pid % 1_000) * PORTS;
let next = 0;

/** Returns a port on which nothing listens. At most eight calls in a process. */
async function freePort() {
  while (next < PORTS) {
    const port = first + next++;
    const isFree = await new Promise((give) => {
      const server = net.createServer();
      server.once('error', () => give(false));
      server.listen(port, '127.0.0.1', () => server.close(() => give(true)));
    });
    if (isFree) return port;
  }
  throw new Error(`no free port between ${first} and ${first + PORTS - 1}`);
}

/** Returns a program that is not started yet. `settings` are its environment and can be changed between two starts. */
export async function aProduct() {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-demo-'));
  const [http, mqtt] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${http}`;
  const settings = { SWITCHYARD__HTTP__LISTEN: `127.0.0.1:${http}`, SWITCHYARD__MQTT__LISTEN: `127.0.0.1:${mqtt}`, SWITCHYARD__HTTP__WEB: join(root, 'web/dist'), SWITCHYARD__HTTP__PUBLIC_URL: base };
  let child;
  let output = '';
  const ended = () => new Promise((done) => (!child || child.exitCode !== null || child.signalCode !== null ? done() : child.once('exit', done)));
  return {
    base,
    folder,
    settings,
    async start() {
      child = spawn(program, ['all', '--demo'], { cwd: folder, env: { ...process.env, DATABASE_URL: '', MQTT_URL: '', SWITCHYARD__HISTORY__DEMO_DAYS: '2', ...settings }, stdio: ['ignore', 'pipe', 'inherit'] });
      output = '';
      child.stdout.on('data', (text) => {
        output += text;
        process.stdout.write(text);
      });
      const deadline = Date.now() + 60_000;
      while (Date.now() < deadline) {
        if (child.exitCode !== null) throw new Error('the demo has ended; its output is above');
        const ready = await fetch(`${base}/readyz`).then((answer) => answer.ok, () => false);
        if (ready) return;
        await new Promise((wake) => setTimeout(wake, 100));
      }
      throw new Error('the demo is not ready after 60 s');
    },
    /** Waits until the running program has printed a text. */
    async printed(text, patienceS = 300) {
      const deadline = Date.now() + patienceS * 1_000;
      while (!output.includes(text)) {
        if (Date.now() > deadline) throw new Error(`the program has not printed '${text}' within ${patienceS} s`);
        await new Promise((wake) => setTimeout(wake, 100));
      }
    },
    kill: (signal) => child?.kill(signal),
    ended,
    async stop() {
      child?.kill('SIGINT');
      await ended();
      rmSync(folder, { recursive: true, force: true });
      // If the program runs as root, its data are here, because PostgreSQL's own user may not enter the folder.
      rmSync(join('/var/lib/switchyard', `${folder.slice(1).replaceAll('/', '-')}-var`), { recursive: true, force: true });
    },
  };
}
