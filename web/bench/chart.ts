// The page of the chart benchmark: six months of one-minute values of three phases, drawn from the server's answer for the chart's width,
// and from all values.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { aligned } from '../src/charts/aligned';
import type { ChartData } from '../src/charts/model';
import { optionsOf } from '../src/charts/options';
import { PRINT } from '../src/charts/palette';
import { made } from '../src/charts/useChart';
import { chartOf } from '../src/charts/history';
import { checked, History } from '../src/wire/history';

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 4, 6);

/** The current of a feeder, A: daily and weekly patterns, noise, and a gap of one day. */
function value(at: number, phase: number): number | null {
  if (at > 100_000 && at < 101_440) return null;
  const day = (at % 1_440) / 1_440;
  return (
    90 +
    40 * Math.sin(2 * Math.PI * day) +
    10 * Math.sin((2 * Math.PI * at) / 10_080) +
    phase * 3 +
    (((at * 7_919 + phase * 104_729) % 97) / 97) * 12
  );
}

/** The answer with one value for each minute, or with the given number of buckets. */
function answer(minutes: number, buckets: number | null): string {
  const per = buckets === null ? 1 : Math.ceil(minutes / buckets);
  const starts = Array.from({ length: Math.ceil(minutes / per) }, (_, index) => index * per);
  const series = ['R', 'Y', 'B'].map((phase, index) => {
    const code = `I${phase.toLowerCase()}`;
    const values = Array.from({ length: minutes }, (_, at) => value(at, index));
    const cells = starts.map((start) => values.slice(start, start + per).filter((held): held is number => held !== null));
    const of = (make: (cell: number[]) => number) => cells.map((cell) => (cell.length > 0 ? Number(make(cell).toFixed(2)) : null));
    return {
      code,
      name: `Current ${phase}`,
      phase,
      unit: 'A',
      decimals: 0,
      mean: of((cell) => cell.reduce((sum, held) => sum + held, 0) / cell.length),
      min: of((cell) => Math.min(...cell)),
      max: of((cell) => Math.max(...cell)),
      quality: cells.map((cell) => (cell.length > 0 ? 0 : null)),
    };
  });
  return JSON.stringify({
    assetId: 7,
    assetName: 'F2',
    measure: 'current',
    timeZone: 'Asia/Kolkata',
    from: FROM,
    to: FROM + minutes * MINUTE,
    bucketMs: buckets === null ? null : per * MINUTE,
    source: buckets === null ? 'raw' : '1h',
    times: starts.map((start) => FROM + start * MINUTE),
    series,
  });
}

const stage = document.getElementById('stage') as HTMLDivElement;

/** Waits until the browser has painted. */
const painted = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));

interface Result {
  readonly bytes: number;
  readonly points: number;
  /** Time to parse and check the answer, ms. */
  readonly readMs: number;
  /** Time to build and draw the chart, ms. */
  readonly drawMs: number;
  /** Time from the answer to the painted chart, ms. */
  readonly shownMs: number;
  /** Median time to draw the chart for a moving span, ms. */
  readonly zoomMs: number;
}

async function run(text: string, minutes: number): Promise<Result> {
  const to = FROM + minutes * MINUTE;
  const began = performance.now();
  const data: ChartData = chartOf(checked(History, JSON.parse(text)));
  const read = performance.now();
  const options = optionsOf({
    columns: data.columns,
    bucketMs: data.bucketMs,
    envelope: data.columns.some(({ min }) => min.length > 0),
    look: { styles: {}, limits: [], fromZero: true, kind: 'mean' },
    zone: 'Asia/Kolkata',
    palette: PRINT,
    font: 'sans-serif',
    qualities: () => [],
  });
  const chart: uPlot = made({ ...options, width: stage.clientWidth, height: 220 }, aligned(data), { from: FROM, to }, stage);
  const drawn = performance.now();
  await painted();
  const shown = performance.now();
  const zooms: number[] = [];
  for (let step = 1; step <= 15; step += 1) {
    const start = performance.now();
    chart.batch(() => chart.setScale('x', { min: FROM + (step / 100) * (to - FROM), max: to - (step / 100) * (to - FROM) }));
    zooms.push(performance.now() - start);
    await painted();
  }
  chart.destroy();
  return {
    bytes: text.length,
    points: data.times.length * data.columns.length,
    readMs: read - began,
    drawMs: drawn - read,
    shownMs: shown - began,
    zoomMs: zooms.sort((a, b) => a - b)[7] ?? 0,
  };
}

Object.assign(window, { bench: { run: (minutes: number, buckets: number | null) => run(answer(minutes, buckets), minutes) } });
