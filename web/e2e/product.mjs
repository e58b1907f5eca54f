// The real program with the demo's data, on free ports and in its own folder.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
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
export async function freePort() {
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

/** The folder of a stopped demo whose history is complete (`run.mjs`); without it, each demo generates its own history. */
const COMPLETE = process.env.SWITCHYARD_E2E_DEMO;

/** The folder of the database if the program runs as root: PostgreSQL's own user may not enter a temporary folder. */
const databaseOf = (folder) => join('/var/lib/switchyard', `${folder.slice(1).replaceAll('/', '-')}-var`);

function copy(from, to) {
  // Copies of files share their blocks where the file system can do that.
  for (const place of [(folder) => folder, databaseOf]) {
    if (existsSync(place(from))) execFileSync('cp', ['--archive', '--reflink=auto', '--no-target-directory', place(from), place(to)]);
    // The database opens the port of its last start if it is free. Two copies that start at the same moment would both take it.
    for (const file of ['postgres.port', 'var/postgres.port']) rmSync(join(place(to), file), { force: true });
  }
}

/** Returns a program that is not started yet. `settings` are its environment and can be changed between two starts. */
export async function aProduct() {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-demo-'));
  if (COMPLETE) copy(COMPLETE, folder);
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
        if (child.exitCode !== null) throw new Error('the demo has ended; its output is above');
        if (Date.now() > deadline) throw new Error(`the program has not printed '${text}' within ${patienceS} s`);
        await new Promise((wake) => setTimeout(wake, 100));
      }
    },
    /** Waits until the demo has all of its history. */
    async complete() {
      if (!COMPLETE) await this.printed("the demo's history is complete");
    },
    kill: (signal) => child?.kill(signal),
    ended,
    /** Stops the program and keeps its folder. */
    async end() {
      child?.kill('SIGINT');
      await ended();
    },
    remove() {
      for (const place of [folder, databaseOf(folder)]) rmSync(place, { recursive: true, force: true });
    },
    async stop() {
      await this.end();
      this.remove();
    },
  };
}
