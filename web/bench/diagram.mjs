// The diagram under load in a real browser: frame rate, script time and final states of our renderer, and of a renderer with one canvas node for each symbol.
import { figure, isShort, measured, openBenchPage } from './harness.mjs';

const SECONDS = isShort ? 0.3 : 10;
const bench = await openBenchPage('index.html');
const run = (variant, elements, perSecond, isMoved = false) => measured(bench, [variant, isShort ? elements / 10 : elements, perSecond, SECONDS, isMoved]);

const CASES = [
  ['ours', 2_000, 500, false, 'ours, 2,000 elements, 500 changes/s'],
  ['nodes', 2_000, 500, false, 'a node a symbol, the same'],
  ['ours', 2_000, 500, true, 'ours, moved at every frame'],
  ['nodes', 2_000, 500, true, 'a node a symbol, moved at every frame'],
  ['ours', 2_000, 5_000, false, 'ours, 5,000 changes/s'],
  ['ours', 10_000, 500, false, 'ours, 10,000 elements'],
  ['ours', 10_000, 500, true, 'ours, 10,000 elements, moved'],
];
const idle = await measured(bench, ['ours', 8, 1, SECONDS, false]);
console.log(`idle page: ${idle.fps.toFixed(0)} frames/s`);
console.log('variant'.padEnd(44), ...['frames/s', 'p95 ms', 'script %', 'task %', 'changes', 'wrong'].map((head) => head.padStart(9)));
let wrong = 0;
const all = [];
for (const [variant, elements, perSecond, isMoved, name] of CASES) {
  const found = await run(variant, elements, perSecond, isMoved);
  all.push(found);
  wrong += found.wrong;
  console.log(name.padEnd(44), ...[found.fps.toFixed(1), found.p95Ms.toFixed(1), found.script.toFixed(1), found.task.toFixed(1), found.applied, found.wrong].map((cell) => String(cell).padStart(9)));
}
const [ours, nodes] = all;
figure('diagram, 2,000 elements at 500 changes/s, frames/s', ours.fps.toFixed(0), '>= 55');
figure('diagram, the same, script %', ours.script.toFixed(1), '<= 5');
figure('diagram, script time to a canvas node a symbol', (ours.script / nodes.script).toFixed(2));
figure('diagram, time of all tasks to a canvas node a symbol', (ours.task / nodes.task).toFixed(2));
await bench.close();
if (wrong > 0) {
  console.error(`diagram: ${wrong} symbols do not show the last state of their points`);
  process.exit(1);
}
