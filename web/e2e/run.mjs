// Runs the browser tests. Most of them start from a copy of one demo whose history is complete, because generating it takes longer than any test.
// While that demo is made, the tests run that need none or an empty folder.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { aProduct } from './product.mjs';

/** Tests without a demo, or of its first start. */
const WITHOUT_HISTORY = ['charts.test.mjs', 'demo.test.mjs', 'feeder.test.mjs', 'proxy.test.mjs', 'tabs.test.mjs'];

/** Runs test files, two at a time. Returns whether all have passed. */
function passed(files, settings = {}) {
  const paths = files.map((file) => join(import.meta.dirname, file));
  const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...paths], { env: { ...process.env, ...settings }, stdio: 'inherit' });
  return new Promise((done) => child.once('exit', (code) => done(code === 0)));
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
const early = chosen.filter((file) => WITHOUT_HISTORY.includes(file));
const late = chosen.filter((file) => !WITHOUT_HISTORY.includes(file));
const [demo, first] = await Promise.all([late.length > 0 ? complete() : undefined, early.length > 0 ? passed(early) : true]);
let second = true;
try {
  if (demo) second = await passed(late, { SWITCHYARD_E2E_DEMO: demo.folder });
} finally {
  demo?.remove();
}
process.exitCode = first && second ? 0 : 1;
