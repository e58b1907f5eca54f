// Tests of a ring of shares: position, drawing, texts and rows.
import { expect, test } from 'vitest';
import { widthOf } from './export/helvetica';
import { Recorder } from './export/recorder';
import { PRINT } from './palette';
import { arcs, pie, type Pie } from './pie';
import { allRows } from './table';

const SIZE = { width: 400, height: 240 };
const SHARES: Pie = {
  head: 'Source',
  valueHead: 'Share',
  unit: '%',
  slices: [
    { name: 'Solar', value: 25, colour: 3 },
    { name: 'Battery', value: 0, colour: 5 },
    { name: 'Grid', value: 75, colour: 0 },
  ],
  centre: ['812', 'kWh'],
};
const drawn = (own: Pie, size = SIZE) => {
  const page = new Recorder(widthOf);
  pie(own).draw(page, { ...size, palette: PRINT, font: 'Inter', at: null });
  return page.marks;
};
const texts = (own: Pie, size = SIZE) => drawn(own, size).flatMap((mark) => (mark.kind === 'text' ? [mark] : []));

test('slices follow one another from the top, and make a whole turn; nothing, 0 and less take no room', () => {
  const all = arcs([25, 0, null, -3, 75]);
  expect(all.map(({ slice }) => slice)).toEqual([0, 4]);
  expect(all[0]).toMatchObject({ from: 0, to: Math.PI / 2 });
  expect(all[1]?.from).toBe(all[0]?.to);
  expect(all[1]?.to).toBeCloseTo(2 * Math.PI, 12);
  expect([arcs([]), arcs([0, null])]).toEqual([[], []]);
});

test('what is under the pointer is the slice there, and neither the hole nor the ground beside', () => {
  const figure = pie(SHARES);
  const [x, y] = [SIZE.width / 2, SIZE.height / 2];
  expect(figure.stops).toBe(2);
  expect([figure.nearest(x + 60, y - 60, SIZE), figure.nearest(x - 80, y, SIZE)]).toEqual([0, 1]);
  expect([figure.nearest(x, y, SIZE), figure.nearest(0, 0, SIZE)]).toEqual([null, null]);
  for (const stop of [0, 1]) {
    const at = figure.placeOf(stop, SIZE);
    expect(figure.nearest(at.x, at.y, SIZE)).toBe(stop);
  }
});

test('names with their shares stand beside the ring, the whole in its middle', () => {
  expect(texts(SHARES).map(({ text }) => text)).toEqual(['812', 'kWh', 'Solar 25 %', 'Grid 75 %']);
  expect(texts(SHARES).every(({ x, y }) => x >= 0 && x <= SIZE.width && y >= 0 && y <= SIZE.height)).toBe(true);
});

test('names of small neighbours do not touch', () => {
  const small = { ...SHARES, slices: [1, 1, 1, 97].map((value, index) => ({ name: `share ${index}`, value, colour: index })) };
  const right = texts({ ...small, centre: [] }).filter(({ x }) => x > SIZE.width / 2);
  expect(right).toHaveLength(3);
  const heights = right.map(({ y }) => y).sort((a, b) => a - b);
  heights.slice(1).forEach((y, index) => expect(y - (heights[index] ?? 0)).toBeGreaterThanOrEqual(16 - 1e-9));
});

test('one slice alone is a whole ring, and in a narrow place it still is one', () => {
  const whole = { ...SHARES, slices: [{ name: 'Grid', value: 100, colour: 0 }] };
  for (const size of [SIZE, { width: 120, height: 200 }]) {
    const numbers = drawn(whole, size).flatMap((mark) => (mark.kind === 'text' ? [mark.x, mark.y] : mark.path.points));
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.every(Number.isFinite)).toBe(true);
  }
});

test('a slice is told with its share, and all of them are rows, those of nothing too', () => {
  const figure = pie(SHARES);
  expect(figure.told(1, PRINT)).toEqual({ title: 'Grid', said: [{ label: null, colour: PRINT.plain[0], text: '75 %' }] });
  expect(figure.table.head).toEqual(['Source', 'Share (%)']);
  expect(allRows(figure.table)).toEqual([
    ['Solar', 25],
    ['Battery', 0],
    ['Grid', 75],
  ]);
  expect(figure.keys(PRINT).map(({ label }) => label)).toEqual(['Solar', 'Battery', 'Grid']);
});

test('without anything above 0 there is nothing to see', () => {
  expect(pie({ ...SHARES, slices: SHARES.slices.map((slice) => ({ ...slice, value: null })) }).isEmpty).toBe(true);
  expect(pie(SHARES).isEmpty).toBe(false);
});
