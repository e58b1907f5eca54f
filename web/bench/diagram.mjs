// The diagram under load in a real browser: frames, script time and final states of our renderer, and beside it those of one canvas node a symbol.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
await build({ root, configFile: false, logLevel: 'error', build: { outDir, emptyOutDir: true, target: 'es2022' } });
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const browser = await openBrowser({ width: 1600, height: 900 });
const { page } = browser;
await page.goto(server.resolvedUrls.local[0]);
await page.waitForFunction(() => window.bench);
const cdp = await page.context().newCDPSession(page);
await cdp.send('Performance.enable');
const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));

async function measure(variant, elements, perSecond, panning = false) {
  const before = await metrics();
  const result = await page.evaluate((args) => window.bench.run(...args), [variant, elements, perSecond, SECONDS, panning]);
  const after = await metrics();
  const share = (name) => ((after[name] - before[name]) / (after.Timestamp - before.Timestamp)) * 100;
  return { ...result, fps: result.frames / result.seconds, script: share('ScriptDuration'), task: share('TaskDuration') };
}

const CASES = [
  ['ours', 2_000, 500, false, 'ours, 2,000 elements, 500 changes/s'],
  ['nodes', 2_000, 500, false, 'a node a symbol, the same'],
  ['ours', 2_000, 500, true, 'ours, moved at every frame'],
  ['nodes', 2_000, 500, true, 'a node a symbol, moved at every frame'],
  ['ours', 2_000, 5_000, false, 'ours, 5,000 changes/s'],
  ['ours', 10_000, 500, false, 'ours, 10,000 elements'],
  ['ours', 10_000, 500, true, 'ours, 10,000 elements, moved'],
];
const idle = await measure('ours', 8, 1);
console.log(`idle page: ${idle.fps.toFixed(0)} frames/s`);
console.log('variant'.padEnd(44), ...['frames/s', 'p95 ms', 'script %', 'task %', 'changes', 'wrong'].map((head) => head.padStart(9)));
let failed = false;
const all = new Map();
for (const [variant, elements, perSecond, panning, name] of CASES) {
  const { fps, p95Ms, script, task, applied, wrong } = await measure(variant, elements, perSecond, panning);
  all.set(name, { fps, script, task });
  failed ||= wrong > 0;
  console.log(name.padEnd(44), ...[fps.toFixed(1), p95Ms.toFixed(1), script.toFixed(1), task.toFixed(1), applied, wrong].map((cell) => String(cell).padStart(9)));
}
const [mine, theirs] = [all.get(CASES[0][4]), all.get(CASES[1][4])];
const live = all.get(CASES[0][4]);
console.log(`= diagram, 2,000 elements at 500 changes/s | ${live.fps.toFixed(0)} frames/s, script ${live.script.toFixed(1)} % | >= 55, <= 5 %`);
console.log(`= diagram, script time to a canvas node a symbol | ${(mine.script / theirs.script).toFixed(2)}; whole task ${(mine.task / theirs.task).toFixed(2)} |`);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
if (failed) {
  console.error('a symbol does not show the last state of its point');
  process.exit(1);
}
