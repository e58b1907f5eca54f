// Tests of the rows of a chart: all values, empty cells for absent values, and the worst quality.
import { expect, test } from 'vitest';
import { csv } from '../ui/csv';
import { inSight } from './DataTable';
import type { ChartData } from './model';
import { allRows, shownCell, tableOf, type Heads } from './table';

const HEADS: Heads = {
  time: (zone) => `Time (${zone})`,
  min: (name) => `${name} min`,
  max: (name) => `${name} max`,
  quality: 'Quality',
  word: (code) => ['good', 'substituted', 'questionable'][code] ?? 'bad',
};
const DATA: ChartData = {
  times: [Date.UTC(2026, 10, 3, 8, 30), Date.UTC(2026, 10, 3, 8, 31)],
  bucketMs: 60_000,
  columns: [
    {
      code: 'Vr',
      name: 'Voltage',
      phase: 'R',
      unit: 'kV',
      decimals: 2,
      mean: [6.3449, null],
      min: [6.3, null],
      max: [6.4, null],
      quality: [0, null],
    },
    { code: 'Hz', name: 'Frequency', phase: null, unit: 'Hz', decimals: 2, mean: [49.98, 50.01], min: [], max: [], quality: [2, 0] },
  ],
};

test('a row is its time in the zone, the values in their decimals, and the worst quality', () => {
  const table = tableOf(DATA, { styles: {} }, 'Asia/Kolkata', HEADS);
  expect(table.head).toEqual([
    'Time (Asia/Kolkata)',
    'Voltage R (kV)',
    'Voltage R (kV) min',
    'Voltage R (kV) max',
    'Frequency (Hz)',
    'Quality',
  ]);
  expect(allRows(table)).toEqual([
    ['2026-11-03 14:00:00', 6.34, 6.3, 6.4, 49.98, 'questionable'],
    ['2026-11-03 14:01:00', null, null, null, 50.01, 'good'],
  ]);
});

test('a phase that the name has already is not said twice', () => {
  const named = { ...DATA, columns: DATA.columns.map((column) => ({ ...column, name: `Voltage ${column.phase ?? ''}`.trim() })) };
  expect(tableOf(named, { styles: {} }, 'UTC', HEADS).head[1]).toBe('Voltage R (kV)');
});

test('a label of its own stands in the head', () => {
  expect(tableOf(DATA, { styles: { Vr: { label: 'R-Y' } } }, 'UTC', HEADS).head[1]).toBe('Voltage R-Y (kV)');
});

test('as CSV absence is empty and no name is a formula', () => {
  const named = { ...DATA, columns: DATA.columns.map((column) => ({ ...column, name: '=cmd()', unit: '' })) };
  const lines = csv(...((table) => [table.head, allRows(table)] as const)(tableOf(named, { styles: {} }, 'UTC', HEADS))).split('\r\n');
  expect(lines[0]).toContain("'=cmd()");
  expect(lines[2]).toBe('2026-11-03 08:31:00,,,,50.01,good');
});

test('a cell is shown with its decimals, a true minus, and a dash for absence', () => {
  expect([shownCell(-1.5, 2), shownCell(null, 2), shownCell('good', 0)]).toEqual(['−1.50', '–', 'good']);
});

test.each([
  [1_000, 0, 280, 0, 20],
  [1_000, 28_000 - 280, 280, 980, 1_000],
  [5, 0, 280, 0, 5],
  [0, 0, 280, 0, 0],
])('of %i rows at %i px those in sight are drawn', (rows, top, height, first, last) => {
  expect(inSight(rows, top, height)).toEqual({ first, last });
});
