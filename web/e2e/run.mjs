// Runs the browser tests. Most of them start from a copy of one demo whose history is complete, because generating it takes longer than any test.
// While that demo is made, the tests run that need none or an empty folder.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { aProduct } from './product.mjs';

/** Tests without a demo, or of its first start. */
const WITHOUT_HISTORY = ['areas.test.mjs', 'charts.test.mjs', 'demo.test.mjs', 'entries.test.mjs', 'feeder.test.mjs', 'network.test.mjs', 'operating_story.test.mjs', 'proxy.test.mjs', 'tabs.test.mjs', 'temporary.test.mjs'];

/** Files that take longest. They start first, so that none of them runs alone at the end. */
const LONGEST = ['operate', 'specification', 'reports', 'analytics', 'desk', 'lowcarbon', 'people', 'steady', 'report_schedules'].map((name) => `${name}.test.mjs`);

/** Number of files that run at the same time. Each waits for a part of its time, so there is one more than the continuous integration has processors. */
const LANES = 3;

/** Runs a test file. Its output is printed when it has ended, so that files do not mix. Returns whether its tests have passed. */
function passed(file, settings = {}) {
  const child = spawn(process.execPath, ['--test', join(import.meta.dirname, file)], { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  return new Promise((done) =>
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      done(code === 0);
    }),
  );
}

/** Returns a stopped demo with a complete history. */
async function complete() {
  const demo = await aProduct();
  await demo.start();
  await demo.printed("the demo's history is complete");
  await demo.end();
  return demo;
}

const all = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.mjs'));
const chosen = process.argv.length > 2 ? process.argv.slice(2).map((file) => basename(file)) : all;
const rank = (file) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length);
const ordered = chosen.toSorted((a, b) => rank(a) - rank(b));
const early = ordered.filter((file) => WITHOUT_HISTORY.includes(file));
const late = ordered.filter((file) => !WITHOUT_HISTORY.includes(file));
const demo = late.length > 0 ? complete() : undefined;
const results = [];
async function lane() {
  for (let file = early.shift(); file; file = early.shift()) results.push(await passed(file));
  const folder = (await demo)?.folder;
  for (let file = late.shift(); file; file = late.shift()) results.push(await passed(file, { SWITCHYARD_E2E_DEMO: folder }));
}
try {
  await Promise.all(Array.from({ length: LANES }, lane));
} finally {
  (await demo)?.remove();
}
process.exitCode = results.every(Boolean) ? 0 : 1;
