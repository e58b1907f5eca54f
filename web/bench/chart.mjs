// A chart of six months in a real browser: 260,000 minutes of three phases, once as the server's answer for the chart's width, and once with
// all values.
import { figure, isShort, openBenchPage } from './harness.mjs';

const RUNS = isShort ? 1 : 5;
const MINUTES = isShort ? 10_000 : 260_000;
const bench = await openBenchPage('chart.html');

const COLUMNS = ['readMs', 'drawMs', 'shownMs', 'zoomMs'];
console.log(
  `${MINUTES} minutes, three phases`.padEnd(44),
  ...['kB', 'points', 'read ms', 'draw ms', 'shown ms', 'zoom ms'].map((head) => head.padStart(9)),
);
const medians = [];
for (const [name, buckets] of [
  ['1,500 buckets with their envelopes', 1_500],
  ['every value', null],
]) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await bench.page.evaluate((args) => window.bench.run(...args), [MINUTES, buckets]));
  const median = (key) => runs.map((run) => run[key]).toSorted((a, b) => a - b)[Math.floor(RUNS / 2)];
  medians.push(Object.fromEntries(COLUMNS.map((key) => [key, median(key)])));
  console.log(
    name.padEnd(44),
    ...[(runs[0].bytes / 1_024).toFixed(0), runs[0].points, ...COLUMNS.map((key) => median(key).toFixed(1))].map((cell) =>
      String(cell).padStart(9),
    ),
  );
}
const [ours, all] = medians;
const ratio = (key) => (ours[key] / all[key]).toFixed(2);
figure('chart of six months, answer read and drawn, ms', (ours.readMs + ours.drawMs).toFixed(0), '<= 100');
figure('chart of six months, painted, ms', ours.shownMs.toFixed(0));
figure('chart of six months, time until painted to drawing all values', ratio('shownMs'));
figure('chart of six months, time of a zoom to drawing all values', ratio('zoomMs'));
await bench.close();
