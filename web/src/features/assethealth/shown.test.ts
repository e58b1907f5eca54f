// Tests that table, heat maps, matrix and feeders show the same sections for all filters, cells and orders.
import { expect, test } from 'vitest';
import type { CableSection } from '../../wire/cable-health';
import { heatmap, layoutOf } from './heatmap';
import { healthHeat, riskHeat } from './heats';
import { madeUp, madeUpMany, random, UNMODELLED } from './madeup';
import { COLUMNS, HEALTH_BANDS, type ColumnKey } from './sections';
import { cellKey, cellsOf, choicesOf, feedersOf, inCell, namedApart, pageSize, reasonsOf, shownOf, textsOf, ticked, type Filters } from './shown';

const SIZE = { width: 700, height: 400 };
const MOMENT = { now: 0, zone: 'UTC' };
const idsOf = (rows: readonly CableSection[]) => rows.map(({ CableObjectId }) => Number(CableObjectId)).sort((a, b) => a - b);

/** The expected sections, computed independently of the code under test. */
const naively = (sections: readonly CableSection[], filters: Filters) =>
  sections.filter((section) => COLUMNS.every(({ key, text }) => filters[key]?.has(text(section, MOMENT)) ?? true));

function anyFilters(next: () => number, sections: readonly CableSection[]): Filters {
  let filters: Filters = {};
  for (const { key } of COLUMNS) {
    if (next() < 0.6) continue;
    const choices = choicesOf(sections, filters, key);
    const texts = choices.filter(() => next() < 0.4).map(({ text }) => text);
    filters = ticked(sections, filters, key, texts, false);
  }
  return filters;
}

test('table, heat maps, matrix and feeders show the same sections, whatever is filtered and however it is ordered', () => {
  const next = random(3);
  for (let round = 0; round < 150; round += 1) {
    const sections = madeUpMany(next, Math.floor(next() * 120));
    const filters = anyFilters(next, sections);
    const column = COLUMNS[Math.floor(next() * COLUMNS.length)]?.key ?? 'km';
    const shown = shownOf(sections, filters, next() < 0.5 ? null : { key: column, descending: next() < 0.5 });
    const expected = idsOf(naively(sections, filters));
    expect(idsOf(shown.rows)).toEqual(expected);
    shown.rows.forEach(({ CableObjectId }, place) => expect(shown.places.get(CableObjectId)).toBe(place));
    for (const heat of [riskHeat('INR'), healthHeat]) {
      const laid = layoutOf(shown.rows, heat);
      const figure = heatmap(shown.rows, heat, laid, null);
      // Each section has one box, `nearest` finds it at its position, and the table of the figure has the same rows.
      expect([figure.stops, figure.table.rows]).toEqual([expected.length, expected.length]);
      for (let stop = 0; stop < figure.stops; stop += 1) {
        const { x, y } = figure.placeOf(stop, SIZE);
        expect(figure.nearest(x, y, SIZE)).toBe(stop);
        expect(figure.table.cells(stop)[2]).toBe(shown.rows[stop]?.Section);
      }
    }
    const inCells = [...cellsOf(shown).values()].reduce((sum, count) => sum + count, 0);
    expect(inCells + shown.notModelled).toBe(expected.length);
    const byFeeder = feedersOf(shown);
    const inFeeders = byFeeder.reduce((sum, { bands, notModelled }) => sum + notModelled + HEALTH_BANDS.reduce((own, hi) => own + bands[hi], 0), 0);
    expect(inFeeders).toBe(expected.length);
    expect(byFeeder.length).toBe(shown.distinct.feeder);
    expect(shown.km).toBeCloseTo(naively(sections, filters).reduce((sum, { SectionLengthKM }) => sum + (SectionLengthKM ?? 0), 0), 9);
  }
});

test('the choices of a column are its texts in what the other columns leave, and their counts are what ticking shows', () => {
  const next = random(4);
  for (let round = 0; round < 60; round += 1) {
    const sections = madeUpMany(next, 80);
    const filters = anyFilters(next, sections);
    for (const { key } of COLUMNS) {
      const others = Object.fromEntries(Object.entries(filters).filter(([own]) => own !== key)) as Filters;
      const left = naively(sections, others);
      const choices = choicesOf(sections, filters, key);
      expect(choices.reduce((sum, { count }) => sum + count, 0)).toBe(left.length);
      for (const { text, count } of choices) {
        expect(shownOf(sections, { ...others, [key]: new Set([text]) }, null).rows.length).toBe(count);
      }
    }
  }
});

test('unticking hides, ticking again brings everything back, and then there is no filter', () => {
  const sections = [madeUp(1), madeUp(2, { AssetName: 'F2' }), madeUp(3, { AssetName: 'F10' })];
  const choices = choicesOf(sections, {}, 'feeder');
  expect(choices.map(({ text }) => text)).toEqual(['F1', 'F2', 'F10']);
  const without = ticked(sections, {}, 'feeder', ['F2'], false);
  expect(idsOf(shownOf(sections, without, null).rows)).toEqual([1, 3]);
  expect(idsOf(shownOf(sections, ticked(sections, without, 'feeder', ['F1', 'F10'], false), null).rows)).toEqual([]);
  expect(ticked(sections, without, 'feeder', ['F2'], true)).toEqual({});
});

test('what another column hides is neither unticked by a tick nor ticked with all that is in sight', () => {
  const sections = [madeUp(1), madeUp(2, { Section: 'S2' }), madeUp(3, { AssetName: 'F2', Section: 'S3' }), madeUp(4, { AssetName: 'F3', Section: 'S4' })];
  const ofF1 = ticked(sections, {}, 'feeder', ['F2', 'F3'], false);
  const without = ticked(sections, ofF1, 'section', ['S2'], false);
  expect(idsOf(shownOf(sections, without, null).rows)).toEqual([1]);
  // All feeders are visible again; of the sections, only the unticked one is hidden.
  expect(idsOf(shownOf(sections, ticked(sections, without, 'feeder', ['F2', 'F3'], true), null).rows)).toEqual([1, 3, 4]);
  const withoutF3 = ticked(sections, {}, 'section', ['S4'], false);
  const inSight = ticked(sections, { ...withoutF3, feeder: new Set(['F1']) }, 'section', ['S2'], true);
  expect(idsOf(shownOf(sections, { ...inSight, feeder: new Set(['F1', 'F3']) }, null).rows)).toEqual([1, 2]);
});

test('what is absent comes last in either order, numbers in names are numbers', () => {
  const sections = [madeUp(1, { POFPercent: null, Section: 'S10' }), madeUp(2, { POFPercent: 3, Section: 'S9' }), madeUp(3, { POFPercent: 1, Section: 'S11' })];
  const order = (key: ColumnKey, descending: boolean) => shownOf(sections, {}, { key, descending }).rows.map(({ CableObjectId }) => CableObjectId);
  expect([order('pof', false), order('pof', true), order('section', false)]).toEqual([[3, 2, 1], [2, 3, 1], [2, 1, 3]]);
});

test('a section that is not modelled is in no cell, and its absence is no 0', () => {
  const shown = shownOf([madeUp(1), madeUp(2, UNMODELLED)], {}, null);
  expect([...cellsOf(shown)]).toEqual([[cellKey('C1', 'HI1'), 1]]);
  expect(shown.notModelled).toBe(1);
  expect(textsOf(shown.rows[1] as CableSection)).toMatchObject({ ci: '–', hi: 'Not modelled', pof: '–' });
});

test('two feeders of one name are two, told apart by their codes in every view; others keep their names', () => {
  const all = [madeUp(1, { AssetId: 7 }), madeUp(2, { AssetId: 8 }), madeUp(3, { AssetName: 'F2', AssetId: 9 })];
  expect(feedersOf(shownOf(namedApart(all, all), {}, null)).map(({ feeder }) => feeder)).toEqual(['F1 (7)', 'F1 (8)', 'F2']);
  expect(namedApart(all.slice(0, 1), all)[0]?.AssetName).toBe('F1 (7)');
});

test('reasons are told with how many sections each has, the most first', () => {
  const because = (id: number, ModelNote: string | null) => madeUp(id, { ...UNMODELLED, ModelNote });
  expect(reasonsOf([because(1, 'no age'), because(2, '11 kV'), madeUp(3), because(4, '11 kV'), because(5, null)])).toEqual([
    { text: 'Not modelled: 11 kV', count: 2 },
    { text: 'Not modelled', count: 1 },
    { text: 'Not modelled: no age', count: 1 },
  ]);
});

test.each([
  [0, 10],
  [9, 10],
  [10, 10],
  [5_000, 5_000],
])('a page of %i rows has %i', (rows, size) => expect(pageSize(rows)).toBe(size));

test('a cell, a row or a column of the matrix has its own sections, and what is not modelled lies in none', () => {
  const rows = [madeUp(1, { CriticalityIndex: 'C1', HealthIndexBand: 'HI1' }), madeUp(2, { CriticalityIndex: 'C4', HealthIndexBand: 'HI1' }), madeUp(3, UNMODELLED)];
  const ids = (ci: 'C1' | 'C4' | null, hi: 'HI1' | 'HI5' | null) => inCell(rows, { ci, hi }).map(({ CableObjectId }) => CableObjectId);
  expect([ids('C1', 'HI1'), ids(null, 'HI1'), ids('C4', null), ids('C1', 'HI5'), ids(null, null), inCell(rows, null).length]).toEqual([[1], [1, 2], [2], [], [1, 2, 3], 3]);
});
