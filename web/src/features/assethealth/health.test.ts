// Tests of bands and colours of sections, the heat map, the risk forecast, selectors, files, and the line under the pointer.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Recorder } from '../../charts/export/recorder';
import type { Ink } from '../../charts/ink';
import { onColour, PRINT } from '../../charts/palette';
import { xy } from '../../charts/xy';
import { checked } from '../../wire/history';
import { CableHealth, type CableSection, faultsIn, type HealthSubstations } from '../../wire/cable-health';
import { alertsSheet, dataSheet } from './exports';
import { listFigures, riskLines, savedOf, sizeFor } from './forecast';
import { heatmap, layoutOf } from './heatmap';
import { healthHeat, riskHeat } from './heats';
import { nearestLine } from './lines';
import { madeUp, madeUpMany, random, UNMODELLED } from './madeup';
import { alertOf, COLUMNS, healthStep, moneyIn, POF_WORDS, pofStep, whyNot } from './sections';
import { chosenIn, yearFor, yearsOf } from './selectors';

test.each([
  [0, 1],
  [0.99, 1],
  [1, 2],
  [4.99, 3],
  [5, 4],
  [10, 5],
  [99, 5],
])('a probability of failure of %d percent is step %i', (POFPercent, step) => expect(pofStep(madeUp(1, { POFPercent }))).toBe(step));

test('what is not modelled has no step in either heat map, even if figures came with it', () => {
  const section = madeUp(1, { ...UNMODELLED, POFPercent: 0.2, COF: 5 });
  expect([pofStep(section), healthStep(section), riskHeat('INR').weight(section)]).toEqual([null, null, null]);
  expect(whyNot(section)).toBe('Not modelled: the model has no 11 kV cable');
});

function marksOf(rows: readonly CableSection[], selected: number | null) {
  const recorder = new Recorder((text, size) => text.length * size * 0.6);
  const figure = heatmap(rows, healthHeat, layoutOf(rows, healthHeat), selected);
  figure.draw(recorder as unknown as Ink, { width: 600, height: 300, palette: PRINT, font: 'sans-serif', at: null });
  return recorder.marks;
}
const boxesIn = (marks: ReturnType<typeof marksOf>, colour: string | undefined) =>
  marks.reduce((sum, mark) => sum + (mark.kind === 'fill' && mark.colour === colour ? mark.path.points.length / 8 : 0), 0);

test('each modelled section is painted once in the colour of its step, and none that is not modelled in any', () => {
  const rows = madeUpMany(random(5), 200);
  const marks = marksOf(rows, null);
  PRINT.bands.forEach((colour, at) => {
    const own = rows.filter((row) => healthStep(row) === at + 1);
    expect(boxesIn(marks, colour)).toBe(own.length);
  });
  expect(boxesIn(marks, PRINT.chosen)).toBe(0);
});

test('the chosen box turns red and leaves its step, and the one before gets its own colour back', () => {
  const rows = [madeUp(1), madeUp(2), madeUp(3, { HealthIndexBand: 'HI5' })];
  const counts = (selected: number | null) => {
    const marks = marksOf(rows, selected);
    return [PRINT.bands[0], PRINT.bands[4], PRINT.chosen].map((colour) => boxesIn(marks, colour));
  };
  expect([counts(null), counts(1), counts(3), counts(null)]).toEqual([[2, 1, 0], [1, 1, 1], [2, 0, 1], [2, 1, 0]]);
});

/** Relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const contrast = (a: string, b: string) => {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (high + 0.05) / (low + 0.05);
};

test('in both themes the steps are told apart by lightness alone, stand out from the ground, and their letters are read', () => {
  const [dark = '', light = ''] = readFileSync('src/ui/tokens.css', 'utf8').split(":root[data-theme='light']");
  const tokens = (css: string) => {
    const of = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(css)?.[1] ?? '';
    return { ground: of('surface-0'), bands: [1, 2, 3, 4, 5].map((step) => of(`band-${step}`)), chosen: of('chosen') };
  };
  for (const { ground, bands, chosen } of [tokens(dark), tokens(light), { ...PRINT, bands: [...PRINT.bands] }]) {
    bands.slice(1).forEach((own, at) => {
      expect(contrast(own, bands[at] ?? '')).toBeGreaterThan(1.3);
      expect(contrast(own, ground)).toBeGreaterThan(contrast(bands[at] ?? '', ground));
    });
    for (const colour of [...bands, chosen]) {
      expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3);
      expect(contrast(colour, onColour(colour))).toBeGreaterThanOrEqual(4.5);
    }
  }
  expect(POF_WORDS).toEqual(['PoF under 1 %', 'PoF 1 to 2 %', 'PoF 2 to 5 %', 'PoF 5 to 10 %', 'PoF 10 % and more']);
});

test('what replacing saves is the difference of the lines, and losses are no savings', () => {
  const forecast = { years: [2019, 2020, 2021], doNothing: [100, 200, 300], replaced: [40, 90, 310], compared: null, replacedCost: { sections: 2, km: 1.5, cost: 320 }, comparedCost: null, sections: 3, currency: 'INR', priceBase: '2020/21', notModelled: 0 };
  expect(savedOf(forecast, forecast.replaced)).toEqual({ total: 160, last: -10, lastYear: 2021 });
  const figure = xy(riskLines(forecast, { A: 2, B: 0 }));
  expect(figure.keys(PRINT).map(({ label, mark }) => [label, mark])).toEqual([
    ['Risk saved', 'band'],
    ['Do nothing', 'line'],
    ['With list A', 'dashed'],
  ]);
  expect(figure.stops).toBe(6);
  expect(xy(riskLines(forecast, { A: 0, B: 0 })).keys(PRINT).map(({ label }) => label)).toEqual(['Do nothing']);
  expect(savedOf({ years: [], doNothing: [] }, [])).toEqual({ total: 0, last: 0, lastYear: null });
  // A second list with unknown cost.
  const both = { ...forecast, compared: [100, 50, 60], comparedCost: { sections: 1, km: 1, cost: null } };
  expect(xy(riskLines(both, { A: 0, B: 1 })).keys(PRINT).map(({ label }) => label)).toEqual(['Do nothing', 'With list B']);
  expect(listFigures(both, { A: 2, B: 1 }).map(({ name, total, ratio }) => [name, total, ratio])).toEqual([
    ['A', 160, 0.5],
    ['B', 390, null],
  ]);
  expect(listFigures(both, { A: 0, B: 0 })).toEqual([]);
});

test('money is told with the prices of its year', () => {
  expect([moneyIn({ currency: 'GBP', priceBase: '2020/21' }), moneyIn({ currency: 'GBP', priceBase: '' }), moneyIn({ currency: '', priceBase: '2020/21' })]).toEqual(['GBP (2020/21)', 'GBP', '']);
});

test.each([
  [999, 1, 'INR'],
  [1_000, 1_000, 'thousand INR'],
  [-2_500_000, 1_000_000, 'million INR'],
])('%d is written by %i', (value, by, unit) => expect(sizeFor(value, 'INR')).toEqual({ by, unit }));

const CHOICES: HealthSubstations = {
  substations: [
    { assetPointId: 2768, assetPointName: 'A', years: [2018, 2017, 2010] },
    { assetPointId: 9, assetPointName: 'B', years: [2019] },
  ],
  defaultSubstation: 2768,
  defaultYear: 2018,
};

test.each([
  ['', 2768, 2018],
  ['substation=2768&year=2010', 2768, 2010],
  ['year=', 2768, null],
  ['substation=', null, 2018],
  ['substation=77', 2768, 2018],
  ['year=1999', 2768, null],
  ['substation=9', 9, 2019],
  ['substation=9&year=2018', 9, null],
  ['substation=9&year=2019', 9, 2019],
  ['substation=x&year=2018.5', 2768, null],
])('the address "%s" chooses substation %s and year %s', (query, substation, year) =>
  expect(chosenIn(new URLSearchParams(query), CHOICES)).toEqual({ substation, year }),
);

test('another substation keeps the year where it has it, else takes its own newest', () => {
  expect([yearFor(2768, 2017, CHOICES), yearFor(9, 2017, CHOICES), yearFor(2768, 2019, CHOICES), yearFor(9, null, CHOICES)]).toEqual([2017, 2019, 2018, null]);
});

test('years come newest first, of all substations before one is chosen', () => {
  expect(yearsOf(2768, CHOICES.substations)).toEqual([2018, 2017, 2010]);
  expect(yearsOf(null, CHOICES.substations)).toEqual([2019, 2018, 2017, 2010]);
  expect(chosenIn(new URLSearchParams(), { substations: [], defaultSubstation: null, defaultYear: null })).toEqual({ substation: null, year: null });
});

test('the alerts say why somebody should look, the data says everything with its units', () => {
  const rows = [madeUp(1), madeUp(2, { HealthIndexBand: 'HI5' }), madeUp(3, { HealthIndexBand: 'HI3', CriticalityIndex: 'C4' }), madeUp(4, UNMODELLED)];
  expect(rows.map(alertOf)).toEqual(['', 'HI5: end of life: replace it', 'C4 and HI3: critical and wearing', 'Not modelled: the model has no 11 kV cable']);
  const alerts = alertsSheet(rows);
  expect(alerts.head).toEqual(['Feeder', 'Cable', 'Section', 'CI', 'HI', 'Age', 'Length (km)', 'PoF (%)', 'Alert']);
  expect(alerts.rows[3]).toEqual(['F1', 'Cable 1', 'S4', null, null, 10, 1, null, 'Not modelled: the model has no 11 kV cable']);
  const data = dataSheet(rows, 'INR');
  expect(data.head).toContain('COF (INR)');
  expect(data.rows.every((row) => row.length === data.head.length)).toBe(true);
  expect(data.rows[3]?.[data.head.indexOf('POFPercent')]).toBeNull();
  expect(COLUMNS.map(({ name }) => name)).toEqual(alerts.head.slice(0, 8));
});

test('the nearest line within reach is found, also of a single place, and none beyond it', () => {
  const lines = [
    [{ x: 0, y: 0 }, { x: 100, y: 0 }],
    [{ x: 0, y: 20 }, { x: 50, y: 20 }, { x: 50, y: 60 }],
    [{ x: 200, y: 200 }, { x: 200, y: 200 }],
  ];
  expect([nearestLine(lines, { x: 50, y: 4 }, 9), nearestLine(lines, { x: 53, y: 40 }, 9), nearestLine(lines, { x: 203, y: 200 }, 9)]).toEqual([0, 1, 2]);
  expect(nearestLine(lines, { x: 150, y: 100 }, 9)).toBeNull();
});

test('answers of the server are checked: what is left out is absent, and what is bent is refused', () => {
  const row = { AssetName: 'F1', CableAssetName: 'Cable 1', CableObjectId: 4, Section: 12 };
  const answer = { cableSections: [row], criticalityIndexVsHealthIndex: [{ CI: 'C1', HI1: 1, HI2: 0, HI3: 0, HI4: 0, HI5: 0 }], notModelled: 0, year: 2018, assetPointId: 2768 };
  const read = checked(CableHealth, answer);
  expect(read.cableSections[0]).toMatchObject({ Section: '12', HealthIndexBand: null, COF: null, Line: null });
  expect(read.criticalityIndexVsHealthIndex[0]).toMatchObject({ HI1: 1, HI5: 0, HI5Km: null });
  expect(() => checked(CableHealth, { ...answer, criticalityIndexVsHealthIndex: [{ CI: 'C1', HI1: 1 }] })).toThrow();
  expect(() => checked(CableHealth, { ...answer, cableSections: [{ ...row, HealthIndexBand: 'HI9' }] })).toThrow();
  expect(() => checked(CableHealth, { ...answer, cableSections: [{ ...row, Line: [[1, Number.NaN]] }] })).toThrow();
  expect(faultsIn({ faults: [{ line: 3, column: 'length_m', what: 'wrong' }], faultsTotal: 240 })).toMatchObject({ faults: [{ line: 3 }], total: 240 });
  expect(faultsIn({ faults: [{ line: 3, what: 'wrong' }] }).total).toBe(1);
  expect([faultsIn(null), faultsIn({ faults: 'many' })]).toEqual(Array.from({ length: 2 }, () => ({ faults: [], total: 0 })));
});
