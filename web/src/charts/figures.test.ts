// Tests of columns by category, curves and gauges: drawing, stops and texts.
import { expect, test } from 'vitest';
import { bars, stacked, type Bars, type BarSeries } from './bars';
import { widthOf } from './export/helvetica';
import { RecordedPath, Recorder, type Mark } from './export/recorder';
import { gauges, standing } from './gauge';
import { shortened, type Figure } from './ink';
import { PRINT } from './palette';
import { allRows } from './table';
import { xy, type Xy } from './xy';

const SIZE = { width: 600, height: 300 };

function drawn(figure: Figure, at: number | null = null): readonly Mark[] {
  const page = new Recorder(widthOf);
  figure.draw(page, { ...SIZE, palette: PRINT, font: 'Inter', at });
  return page.marks;
}
const texts = (marks: readonly Mark[]) => marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
const boxes = (marks: readonly Mark[], colour: string) =>
  marks.flatMap((mark) => {
    if (mark.kind !== 'fill' || mark.colour !== colour || mark.path.ops.join('') !== 'MLLLZ') return [];
    const xs = mark.path.points.filter((_, index) => index % 2 === 0);
    const ys = mark.path.points.filter((_, index) => index % 2 === 1);
    return [{ left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }];
  });

const series = (name: string, values: readonly (number | null)[], rest: Partial<BarSeries> = {}): BarSeries => ({
  name,
  unit: '',
  values,
  colour: 0,
  ...rest,
});
const FAULTS: Bars = {
  head: 'Day',
  categories: ['01/11', '02/11', '03/11'],
  left: { name: 'Fault Count', isWhole: true },
  right: { name: 'Total Fault Duration (minutes)' },
  notes: [null, null, 'not over'],
  series: [
    series('LG', [2, null, 1], { colour: 0, stack: 'types', decimals: 0 }),
    series('LL', [1, null, 0], { colour: 3, stack: 'types', decimals: 0 }),
    series('LG_duration', [30.456, null, 12], { colour: 0, as: 'line', axis: 'right', unit: 'min' }),
  ],
};
const [FIRST, SECOND] = [PRINT.plain[0] ?? '', PRINT.plain[3] ?? ''];

test('columns of one stack stand on one another, up and down from 0 apart', () => {
  const spans = stacked([series('a', [2, -1, null], { stack: 's' }), series('b', [3, -2, 4], { stack: 's' }), series('c', [5, 5, 5])], 3);
  expect(spans).toEqual([
    [[0, 2], [0, -1], null],
    [
      [2, 5],
      [-1, -3],
      [0, 4],
    ],
    [
      [0, 5],
      [0, 5],
      [0, 5],
    ],
  ]);
});

test('the upper column begins where the lower one ends, and absence is no column', () => {
  const marks = drawn(bars(FAULTS));
  const [lower, upper] = [boxes(marks, FIRST), boxes(marks, SECOND)];
  expect([lower.length, upper.length]).toEqual([2, 1]);
  expect((upper[0]?.bottom ?? 0) - (lower[0]?.top ?? 99)).toBeLessThan(1.01);
  expect(upper[0]?.left).toBe(lower[0]?.left);
});

test('columns of different stacks stand side by side without touching', () => {
  const marks = drawn(bars({ ...FAULTS, series: [series('a', [1, 2, 3]), series('b', [3, 2, 1], { colour: 3 })] }));
  const [one, other] = [boxes(marks, FIRST), boxes(marks, SECOND)];
  one.forEach((box, index) => expect(box.right).toBeLessThan(other[index]?.left ?? 0));
});

test('axes, categories and all of it are on the picture', () => {
  const marks = drawn(bars(FAULTS), 1);
  for (const word of ['Fault Count', 'Total Fault Duration (minutes)', '01/11', '03/11', '0', '3']) expect(texts(marks)).toContain(word);
  const places = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.x, mark.y] : mark.path.points));
  expect(places.every((place) => Number.isFinite(place) && place >= -1 && place <= SIZE.width + 1)).toBe(true);
});

test('labels stand at multiples of the steps that a chart is given, and at any number otherwise', () => {
  const day: Bars = {
    head: 'Half hour',
    categories: Array.from({ length: 48 }, (_, slot) => `${String(Math.floor(slot / 2)).padStart(2, '0')}:${slot % 2 ? '30' : '00'}`),
    left: { name: 'kW' },
    series: [series('a', Array.from({ length: 48 }, () => 1), { as: 'line' })],
  };
  const labels = (own: Bars) => texts(drawn(bars(own))).filter((text) => text.includes(':'));
  const free = labels(day);
  const stepped = labels({ ...day, steps: [2, 4, 6, 8, 12, 24] });
  expect(free.length).toBeGreaterThan(4);
  expect(stepped.length).toBeGreaterThan(2);
  expect(stepped.every((text) => text.endsWith(':00'))).toBe(true);
  expect(stepped.length).toBeLessThanOrEqual(free.length);
});

test('lines have a dot at each value, or none where a chart wants none', () => {
  const one: Bars = { head: 'x', categories: ['a', 'b', 'c'], left: { name: '' }, series: [series('a', [1, 2, 3], { as: 'line' })] };
  const discs = (own: Bars) => drawn(bars(own)).filter((mark) => mark.kind === 'fill' && mark.path.ops.includes('C')).length;
  expect([discs(one) > 0, discs({ ...one, hasNoDots: true })]).toEqual([true, 0]);
});

test('lines over columns have some ground; where there are only lines, none of them cuts another', () => {
  const lines: Bars = { head: 'x', categories: ['a', 'b'], left: { name: '' }, series: [series('a', [1, 2], { as: 'line' }), series('b', [2, 1], { as: 'line', colour: 3 })] };
  const strokes = (own: Bars) => drawn(bars(own)).filter((mark) => mark.kind === 'stroke' && mark.colour === PRINT.ground).length;
  expect([strokes(lines), strokes({ ...lines, series: [...lines.series, series('c', [1, 1])] })]).toEqual([0, 2]);
});

test('what is not complete is marked at the foot and said', () => {
  const figure = bars(FAULTS);
  expect(boxes(drawn(figure), PRINT.doubt)).toHaveLength(1);
  expect([figure.told(2, PRINT).note, figure.told(0, PRINT).note]).toEqual(['not over', undefined]);
});

test('the tooltip has two decimals unless told otherwise, and a dash for absence', () => {
  const { title, said } = bars(FAULTS).told(0, PRINT);
  expect([title, said.map(({ label, text }) => `${label} ${text}`)]).toEqual(['01/11', ['LG 2', 'LL 1', 'LG_duration 30.46 min']]);
  expect(
    bars(FAULTS)
      .told(1, PRINT)
      .said.map(({ text }) => text),
  ).toEqual(['–', '–', '–']);
});

test('a stop is under its own place and nowhere else', () => {
  const figure = bars(FAULTS);
  for (let stop = 0; stop < 3; stop += 1) expect(figure.nearest(figure.placeOf(stop, SIZE).x, 100, SIZE)).toBe(stop);
  expect([figure.nearest(2, 100, SIZE), figure.nearest(598, 100, SIZE)]).toEqual([null, null]);
});

test('its rows are those of the picture, absence stays absent', () => {
  const { table } = bars(FAULTS);
  expect(table.head).toEqual(['Day', 'LG', 'LL', 'LG_duration (min)', '']);
  expect(allRows(table)).toEqual([
    ['01/11', 2, 1, 30.46, ''],
    ['02/11', null, null, null, ''],
    ['03/11', 1, 0, 12, 'not over'],
  ]);
});

test('without any value there is nothing to show, and 0 is a value', () => {
  expect(bars({ ...FAULTS, series: [series('LG', [null, null, null])] }).isEmpty).toBe(true);
  expect(bars({ ...FAULTS, series: [series('LG', [0, null, null])] }).isEmpty).toBe(false);
});

test('what is foreseen is hollow as a column and dotted as a line', () => {
  const marks = drawn(
    bars({
      ...FAULTS,
      series: [series('f', [1, 2, 3], { isForecast: true }), series('g', [1, 2, 3], { isForecast: true, as: 'line', colour: 3 })],
    }),
  );
  expect(marks.filter((mark) => mark.kind === 'fill' && mark.colour === FIRST).every((mark) => mark.alpha < 0.5)).toBe(true);
  const line = marks.find((mark) => mark.kind === 'stroke' && mark.colour === SECOND);
  expect(line?.kind === 'stroke' && line.dash.length).toBe(2);
});

test('four hundred categories have as many labels as there is room for', () => {
  const categories = Array.from({ length: 400 }, (_, index) => `day ${index}`);
  const labels = texts(
    drawn(
      bars({
        ...FAULTS,
        notes: [],
        categories,
        series: [
          series(
            'a',
            categories.map(() => 1),
          ),
        ],
      }),
    ),
  ).filter((text) => text.startsWith('day'));
  expect(labels.length).toBeGreaterThan(5);
  expect(labels.length).toBeLessThan(20);
});

const CURVE: Xy = {
  head: 'Curve',
  x: { name: 'Current', unit: 'A', isLogarithmic: true, decimals: 0 },
  y: { name: 'Time', unit: 's', isLogarithmic: true },
  series: [
    { name: '51', as: 'line', colour: 0, points: [{ x: 100, y: 10 }, { x: 200, y: 2 }, null, { x: 0, y: 3 }, { x: 1_000, y: 0.5 }] },
    { name: 'Faults', as: 'points', colour: 3, points: [{ x: 640, y: 0.72, note: 'LG, 02 Nov 2026 14:00' }] },
  ],
  marks: [{ name: 'pickup', axis: 'x', value: 100 }],
};

test('a curve has a gap where it has one, and where a value has no place on a logarithmic axis', () => {
  const line = drawn(xy(CURVE)).find((mark) => mark.kind === 'stroke' && mark.colour === FIRST && mark.width === 1.5);
  expect(line?.kind === 'stroke' && line.path.ops.join('')).toBe('MLM');
});

test('the stops of curves and points go from left to right; a point says its note', () => {
  const figure = xy(CURVE);
  expect(figure.stops).toBe(4);
  expect(Array.from({ length: 4 }, (_, stop) => figure.told(stop, PRINT).title)).toEqual([
    'Current 100 A',
    'Current 200 A',
    'Current 640 A',
    'Current 1000 A',
  ]);
  expect(figure.told(2, PRINT)).toMatchObject({ note: 'LG, 02 Nov 2026 14:00', said: [{ label: 'Faults', text: '0.72 s' }] });
  for (let stop = 0; stop < 4; stop += 1) {
    const { x, y } = figure.placeOf(stop, SIZE);
    expect(figure.nearest(x, y, SIZE)).toBe(stop);
  }
});

test('curves that share a place are read together', () => {
  const points = [0, 50, 100].map((x) => ({ x, y: 100 - x }));
  const figure = xy({
    ...CURVE,
    x: { name: 'Time', unit: '%' },
    y: { name: 'Demand', unit: 'kW' },
    series: ['R', 'Y'].map((name) => ({ name, as: 'line', colour: name as 'R', points })),
  });
  expect(figure.told(0, PRINT).said.map(({ label }) => label)).toEqual(['R', 'Y']);
});

test('a band is an area between its ends, and says both', () => {
  const band: Xy = {
    ...CURVE,
    x: { name: 'Hour', unit: '' },
    y: { name: 'Demand', unit: 'kW', decimals: 1 },
    marks: [],
    series: [
      {
        name: 'Range',
        as: 'band',
        colour: 3,
        points: [{ x: 0, y: 5, low: 1 }, { x: 1, y: 6, low: 2 }, null, { x: 3, y: 6, low: 2 }, { x: 4, y: 7, low: 3 }],
      },
      {
        name: 'Mean',
        as: 'line',
        colour: 0,
        points: [
          { x: 0, y: 3 },
          { x: 1, y: 4 },
        ],
      },
    ],
  };
  const areas = drawn(xy(band)).filter((mark) => mark.kind === 'fill' && mark.colour === SECOND && mark.alpha < 0.5);
  expect(areas).toHaveLength(2);
  expect(
    xy(band)
      .told(0, PRINT)
      .said.map(({ text }) => text),
  ).toEqual(['1.0 … 5.0 kW', '3.0 kW']);
});

const WORDS = { nothing: 'NO DATA', warn: 'Alarm', alarm: 'Trip', name: 'Gauge', value: 'Value' };
const GAUGE = { name: 'WTI', unit: '°C', from: 0, to: 150, warn: 95, alarm: 105 };

test('a gauge without a value has no needle and says NO DATA; 0 is a value and has one', () => {
  const needles = (value: number | null) =>
    drawn(gauges([{ ...GAUGE, value }], WORDS)).filter(
      (mark) => mark.kind === 'fill' && mark.path instanceof RecordedPath && mark.path.ops.join('') === 'MLLZ',
    ).length;
  expect([needles(null), needles(NaN), needles(0), needles(62)]).toEqual([0, 0, 1, 1]);
  const said = texts(drawn(gauges([{ ...GAUGE, value: null }], WORDS)));
  expect(said).toContain('NO DATA');
  expect(said).not.toContain('0.0 °C');
  expect(texts(drawn(gauges([{ ...GAUGE, value: 61.25 }], WORDS)))).toEqual(expect.arrayContaining(['61.3 °C', 'Alarm', 'Trip']));
});

test.each([
  [null, 'none'],
  [94.9, 'normal'],
  [95, 'warn'],
  [105, 'alarm'],
] as const)('%s is %s', (value, expected) => expect(standing({ ...GAUGE, value })).toBe(expected));

test('a needle beyond the end stays at the end', () => {
  const xs = drawn(gauges([{ ...GAUGE, value: 900 }], WORDS)).flatMap((mark) =>
    mark.kind === 'fill' ? mark.path.points.filter((_, index) => index % 2 === 0) : [],
  );
  expect(Math.max(...xs)).toBeLessThanOrEqual(SIZE.width);
});

test('a text is cut to its room', () => {
  const letters = (text: string) => text.length;
  expect([shortened('Visakhapatnam', 20, letters), shortened('Visakhapatnam', 6, letters), shortened('Visakhapatnam', 1, letters)]).toEqual(
    ['Visakhapatnam', 'Visak…', ''],
  );
});
