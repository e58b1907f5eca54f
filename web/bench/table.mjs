// The live table under load in a real browser: frames, script time and final cells of ours, and beside it a plain table drawn anew with each message.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
await build({ root, configFile: false, logLevel: 'error', plugins: [react()], build: { outDir, emptyOutDir: true, target: 'es2022', rollupOptions: { input: join(root, 'table.html') } } });
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const browser = await openBrowser({ width: 1600, height: 900 });
const { page } = browser;
await page.goto(`${server.resolvedUrls.local[0]}table.html`);
await page.waitForFunction(() => window.bench);
const cdp = await page.context().newCDPSession(page);
await cdp.send('Performance.enable');
const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));

async function measure(variant, rows, perSecond, scrolling) {
  const before = await metrics();
  const result = await page.evaluate((args) => window.bench.run(...args), [variant, rows, perSecond, SECONDS, scrolling]);
  const after = await metrics();
  const share = (name) => ((after[name] - before[name]) / (after.Timestamp - before.Timestamp)) * 100;
  return { ...result, fps: result.frames / result.seconds, script: share('ScriptDuration'), task: share('TaskDuration') };
}

const CASES = [
  ['ours', 400, 8_000, false, 'ours, 400 rows of 20, 8,000 cells/s'],
  ['plain', 400, 8_000, false, 'plain, the same'],
  ['ours', 400, 8_000, true, 'ours, scrolled at every frame'],
  ['plain', 400, 8_000, true, 'plain, scrolled at every frame'],
  ['ours', 10_000, 40_000, false, 'ours, 10,000 rows, 40,000 cells/s'],
];
console.log('variant'.padEnd(44), ...['frames/s', 'p95 ms', 'script %', 'task %', 'cells', 'seen', 'wrong'].map((head) => head.padStart(9)));
let failed = false;
const all = [];
for (const [variant, rows, perSecond, scrolling, name] of CASES) {
  const found = await measure(variant, rows, perSecond, scrolling);
  all.push(found);
  failed ||= found.wrong > 0 || found.seen === 0;
  console.log(name.padEnd(44), ...[found.fps.toFixed(1), found.p95Ms.toFixed(1), found.script.toFixed(1), found.task.toFixed(1), found.applied, found.seen, found.wrong].map((cell) => String(cell).padStart(9)));
}
console.log(`= table, 8,000 cell updates/s | ${all[0].fps.toFixed(0)} frames/s, ${all[2].fps.toFixed(0)} scrolled | >= 55`);
console.log(`= table, main thread to a plain table of React | ${(all[0].task / all[1].task).toFixed(2)} |`);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
if (failed) {
  console.error('a cell does not show its last value');
  process.exit(1);
}
