// The live table under load in a real browser: frame rate, script time and final cells of our table, and of a plain table that React renders at each message.
import react from '@vitejs/plugin-react';
import { figure, isShort, measured, openBenchPage } from './harness.mjs';

const SECONDS = isShort ? 0.5 : 10;
const bench = await openBenchPage('table.html', [react()]);

const CASES = [
  ['ours', 400, 8_000, false, 'ours, 400 rows of 20, 8,000 cells/s'],
  ['plain', 400, 8_000, false, 'plain, the same'],
  ['ours', 400, 8_000, true, 'ours, scrolled at every frame'],
  ['plain', 400, 8_000, true, 'plain, scrolled at every frame'],
  ['ours', 10_000, 40_000, false, 'ours, 10,000 rows, 40,000 cells/s'],
];
console.log('variant'.padEnd(44), ...['frames/s', 'p95 ms', 'script %', 'task %', 'cells', 'seen', 'wrong'].map((head) => head.padStart(9)));
let wrong = 0;
const all = [];
for (const [variant, rows, perSecond, isScrolled, name] of CASES) {
  const found = await measured(bench, [variant, isShort ? rows / 10 : rows, perSecond, SECONDS, isScrolled]);
  all.push(found);
  wrong += found.wrong;
  if (found.seen === 0) throw new Error(`${name}: no row is shown`);
  console.log(name.padEnd(44), ...[found.fps.toFixed(1), found.p95Ms.toFixed(1), found.script.toFixed(1), found.task.toFixed(1), found.applied, found.seen, found.wrong].map((cell) => String(cell).padStart(9)));
}
const [still, plain, scrolled] = all;
figure('table, 8,000 cell updates/s, frames/s', still.fps.toFixed(0), '>= 55');
figure('table, the same scrolled, frames/s', scrolled.fps.toFixed(0), '>= 55');
figure('table, time of all tasks to a plain table of React', (still.task / plain.task).toFixed(2));
await bench.close();
if (wrong > 0) {
  console.error(`table: ${wrong} cells do not show their last value`);
  process.exit(1);
}
