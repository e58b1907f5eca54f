// Tests that uPlot draws a chart into the recorder. jsdom has no canvas, so nothing else can be drawn.
// @vitest-environment jsdom
import { expect, test, vi } from 'vitest';
import { bars } from '../bars';
import type { ChartData, Column, Look } from '../model';
import { PRINT } from '../palette';
import { widthOf } from './helvetica';
import { canWrite } from './pdf';
import { recorded, SIZE, type Subject } from './picture';
import { svgOf } from './svg';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof matchMedia;
});

const START = Date.UTC(2026, 10, 2, 8, 30);
const MINUTE = 60_000;
const COUNT = 400;
const times = Array.from({ length: COUNT }, (_, index) => START + index * MINUTE);
const wave = (shift: number, spread = 0) =>
  times.map((_, index) => (index > 100 && index < 140 ? null : 6.3 + 0.1 * Math.sin(index / 40 + shift) + spread));
const column = (code: string, phase: Column['phase'], shift: number, rest: Partial<Column> = {}): Column => ({
  code,
  name: 'Voltage',
  phase,
  unit: 'kV',
  decimals: 2,
  mean: wave(shift),
  min: wave(shift, -0.02),
  max: wave(shift, 0.02),
  quality: times.map((_, index) => (index > 300 && index < 320 ? 3 : 0)),
  ...rest,
});
const LOOK: Look = { styles: {}, limits: [{ name: '+6 % limit 6.48', value: 6.48 }], fromZero: false, kind: 'mean' };
const subject = (data: ChartData, look: Look = LOOK): Subject => ({
  title: 'Voltage profile',
  subtitle: 'F2 Autonagar, kV',
  data,
  look,
  range: { from: START, to: START + COUNT * MINUTE },
  zone: 'Asia/Kolkata',
  span: '02 Nov 2026 14:00 to 20:40',
  foot: 'Switchyard',
  empty: 'No data available',
});
const THREE: ChartData = { times, bucketMs: MINUTE, columns: [column('Vr', 'R', 0), column('Vy', 'Y', 2), column('Vb', 'B', 4)] };

const svgText = (given: Subject) => svgOf(recorded(given, widthOf), SIZE.width, SIZE.height, given.title);
const parsed = (text: string) => new DOMParser().parseFromString(text, 'image/svg+xml');

test('it has everything that is needed elsewhere: title, zone, span, axes, limits, lines, bands, names, legend', () => {
  const text = svgText(subject(THREE));
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
  const svg = parsed(text);
  expect(svg.querySelector('parsererror')).toBeNull();
  const words = [...svg.querySelectorAll('text')].map((node) => node.textContent);
  for (const word of [
    'Voltage profile',
    'F2 Autonagar, kV',
    'Asia/Kolkata',
    '02 Nov 2026 14:00 to 20:40',
    '14:00',
    '02 Nov',
    '+6 % limit 6.48',
    'Switchyard',
  ])
    expect(words).toContain(word);
  // The name is at the end of the line and in the legend.
  for (const phase of ['R', 'Y', 'B']) expect(words.filter((word) => word === phase)).toHaveLength(2);
  for (const colour of ['#da532c', '#b8a800', '#2d89ef']) {
    expect(
      [...svg.querySelectorAll(`path[stroke="${colour}"]`)].some((path) => (path.getAttribute('d')?.length ?? 0) > 2_000),
      `line ${colour}`,
    ).toBe(true);
    expect(svg.querySelectorAll(`path[fill="${colour}"][fill-opacity]`).length, `band ${colour}`).toBeGreaterThan(0);
  }
  expect(svg.querySelectorAll('path[stroke-dasharray]').length).toBeGreaterThan(0);
});

test('every place is on the page', () => {
  const { marks } = recorded(subject(THREE), widthOf);
  const places = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.x, mark.y] : mark.clip >= 0 ? [] : mark.path.points));
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...places)).toBeLessThanOrEqual(SIZE.width);
});

test('a gap is a gap: no line goes through it', () => {
  const { marks, clips } = recorded(subject({ ...THREE, columns: [column('Vr', 'R', 0, { min: [], max: [], quality: [] })] }), widthOf);
  const line = marks.find((mark) => mark.kind === 'stroke' && mark.colour === '#da532c' && mark.path.ops.length > 100);
  if (line?.kind !== 'stroke') throw new Error('there is no line');
  // uPlot draws the line through and clips the gap.
  const regions = clips[line.clip]?.path;
  expect(regions?.ops.filter((op) => op === 'M').length).toBe(2);
});

test('two axes say what they are in, and long names stand on the chart', () => {
  const look: Look = { ...LOOK, limits: [], styles: { OTI: {}, VAbase: { axis: 'right', dash: [2, 4] } } };
  const columns = [
    column('OTI', null, 0, { name: 'OTI', unit: '°C', min: [], max: [] }),
    column('VAbase', null, 1, { name: 'VAbase', unit: 'MVA', min: [], max: [] }),
  ];
  const words = [...parsed(svgText(subject({ times, bucketMs: 0, columns }, look))).querySelectorAll('text')].map(
    (node) => node.textContent,
  );
  for (const word of ['°C', 'MVA', 'OTI', 'VAbase']) expect(words).toContain(word);
});

test('without values it says so', () => {
  const nothing = {
    ...THREE,
    columns: THREE.columns.map((own) => ({ ...own, mean: times.map(() => null), min: [], max: [], quality: [] })),
  };
  expect(svgText(subject(nothing))).toContain('No data available');
});

test('canvas and paths are given back, also when drawing fails', () => {
  const before = [HTMLCanvasElement.prototype.getContext, globalThis.Path2D];
  recorded(subject(THREE), widthOf);
  expect(() => recorded({ ...subject(THREE), zone: 'Nowhere/At_All' }, widthOf)).toThrow();
  expect([HTMLCanvasElement.prototype.getContext, globalThis.Path2D]).toEqual(before);
});

test('whether a PDF can have the words depends on their letters', () => {
  expect(canWrite(recorded(subject(THREE), widthOf))).toBe(true);
  expect(canWrite(recorded({ ...subject(THREE), title: 'విశాఖపట్నం' }, widthOf))).toBe(false);
});

test('columns over time stand on one another, as wide as their buckets, and not below their axis', () => {
  const look: Look = {
    ...LOOK,
    limits: [],
    kind: 'sum',
    styles: { Grid: { as: 'column', colour: 0 }, Solar: { as: 'column', colour: 3 } },
  };
  const half = 30 * MINUTE;
  const starts = [0, 1, 2, 4].map((index) => START + index * half);
  const own = (code: string, mean: (number | null)[]) =>
    column(code, null, 0, { name: code, unit: 'kWh', mean, min: [], max: [], quality: [] });
  const data = { times: starts, bucketMs: half, columns: [own('Grid', [2, 3, null, -1]), own('Solar', [1, 1, 4, 2])] };
  const { marks } = recorded({ ...subject(data, look), range: { from: START, to: START + 5 * half } }, widthOf);
  const boxes = (colour: string | undefined) =>
    marks
      .flatMap((mark) => (mark.kind === 'fill' && mark.colour === colour && mark.clip >= 0 ? [mark.path] : []))
      .flatMap(({ points }) => Array.from({ length: points.length / 8 }, (_, index) => points.slice(index * 8, index * 8 + 8)));
  const [grid, solar] = [boxes(PRINT.plain[0]), boxes(PRINT.plain[3])];
  expect([grid.length, solar.length]).toEqual([3, 4]);
  const edges = (points: readonly number[] = []) => ({
    left: points[0] ?? 0,
    right: points[2] ?? 0,
    top: Math.min(points[1] ?? 0, points[5] ?? 0),
    bottom: Math.max(points[1] ?? 0, points[5] ?? 0),
  });
  expect(edges(solar[0]).bottom).toBeCloseTo(edges(grid[0]).top, 1);
  // If the first series has no value or a negative one, the second starts at 0.
  expect(edges(solar[2]).bottom).toBeCloseTo(edges(grid[0]).bottom, 1);
  expect(edges(solar[3]).bottom).toBeCloseTo(edges(grid[2]).top, 1);
  expect(edges(grid[1]).left).toBeGreaterThan(edges(grid[0]).right);
});

test('a picture that draws itself has title, zone, legend and its own words', () => {
  const figure = bars({
    head: 'Day',
    categories: ['01/11', '02/11'],
    left: { name: 'Fault Count', isWhole: true },
    series: [
      { name: 'LG', unit: '', values: [1, 2], colour: 0, stack: 'types' },
      { name: 'LL', unit: '', values: [1, null], colour: 3, stack: 'types' },
    ],
  });
  const about = {
    title: 'Fault summary over Time',
    subtitle: 'Visakhapatnam',
    zone: 'Asia/Kolkata',
    span: 'last 30 days',
    foot: 'Switchyard',
    empty: 'No data found to display!',
  };
  const text = svgText({ ...about, figure });
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
  const words = [...parsed(text).querySelectorAll('text')].map((node) => node.textContent);
  for (const word of ['Fault summary over Time', 'Asia/Kolkata', 'last 30 days', 'Fault Count', '01/11', 'LG', 'LL'])
    expect(words).toContain(word);
  expect(canWrite(recorded({ ...about, figure }, widthOf))).toBe(true);
  expect(svgText({ ...about, figure: bars({ head: '', categories: [], left: { name: '' }, series: [] }) })).toContain(
    'No data found to display!',
  );
});
