// A chart of six months in a real browser: 260,000 minutes of three phases as the server answers for its width, and beside it all of the
// values.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const RUNS = 5;
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-chart-'));
await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'chart.html') } },
});
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const browser = await openBrowser({ width: 1600, height: 900 });
const { page } = browser;
await page.goto(new URL('chart.html', server.resolvedUrls.local[0]).href);
await page.waitForFunction(() => window.bench);

const COLUMNS = ['readMs', 'drawMs', 'shownMs', 'zoomMs'];
console.log(
  '260,000 minutes, three phases'.padEnd(44),
  ...['kB', 'points', 'read ms', 'draw ms', 'shown ms', 'zoom ms'].map((head) => head.padStart(9)),
);
const medians = {};
for (const [name, buckets] of [
  ['1,500 buckets with their envelopes', 1_500],
  ['every value', null],
]) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await page.evaluate((buckets) => window.bench.run(buckets), buckets));
  const median = (key) => runs.map((run) => run[key]).toSorted((a, b) => a - b)[Math.floor(RUNS / 2)];
  medians[name] = Object.fromEntries(COLUMNS.map((key) => [key, median(key)]));
  console.log(
    name.padEnd(44),
    ...[(runs[0].bytes / 1_024).toFixed(0), runs[0].points, ...COLUMNS.map((key) => median(key).toFixed(1))].map((cell) =>
      String(cell).padStart(9),
    ),
  );
}
const [mine, all] = Object.values(medians);
const drawn = mine.readMs + mine.drawMs;
const ratio = (key) => (mine[key] / all[key]).toFixed(2);
console.log(
  `= chart of six months, answer read and drawn | ${drawn.toFixed(0)} ms, on the screen after ${mine.shownMs.toFixed(0)} | <= 100`,
);
console.log(`= chart of six months, to drawing all its values | ${ratio('shownMs')}; when zoomed ${ratio('zoomMs')} |`);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
