// Tests of sorting, filtering and exporting a table.
import { expect, test } from 'vitest';
import { cells, filtered, nextSorting, sorted, tabbed, type TableColumn } from './columns';

interface Row {
  name: string;
  amps: number | null;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { key: 'name', name: 'Feeder', text: (row) => row.name },
  { key: 'amps', name: 'A', isNumber: true, text: (row) => row.amps?.toFixed(0) ?? '–', value: (row) => row.amps },
];
const ROWS: readonly Row[] = [
  { name: 'F10 Mill', amps: 9 },
  { name: 'F2 Port', amps: null },
  { name: '=F1', amps: 100 },
];
const MOMENT = { now: 0, zone: 'Asia/Kolkata' };
const names = (rows: readonly Row[]) => rows.map(({ name }) => name);

test('numbers are ordered as numbers, names as people count, and what is absent stands last either way', () => {
  expect(names(sorted(ROWS, COLUMNS, { key: 'amps', descending: false }, MOMENT))).toEqual(['F10 Mill', '=F1', 'F2 Port']);
  expect(names(sorted(ROWS, COLUMNS, { key: 'amps', descending: true }, MOMENT))).toEqual(['=F1', 'F10 Mill', 'F2 Port']);
  expect(names(sorted(ROWS, COLUMNS, { key: 'name', descending: false }, MOMENT))).toEqual(['=F1', 'F2 Port', 'F10 Mill']);
  expect(sorted(ROWS, COLUMNS, null, MOMENT)).toBe(ROWS);
});

test('a heading goes up, down, and back to the order of the table', () => {
  expect(nextSorting(null, 'a')).toEqual({ key: 'a', descending: false });
  expect(nextSorting({ key: 'a', descending: false }, 'a')).toEqual({ key: 'a', descending: true });
  expect(nextSorting({ key: 'a', descending: true }, 'a')).toBeNull();
  expect(nextSorting({ key: 'a', descending: true }, 'b')).toEqual({ key: 'b', descending: false });
});

test('every word of a filter has to stand somewhere in the row', () => {
  expect(names(filtered(ROWS, COLUMNS, 'f10 9', MOMENT))).toEqual(['F10 Mill']);
  expect(filtered(ROWS, COLUMNS, 'f10 100', MOMENT)).toEqual([]);
  expect(filtered(ROWS, COLUMNS, '  ', MOMENT)).toBe(ROWS);
});

test('files have values and not what the screen makes of them; nothing copied is a formula', () => {
  expect(cells(ROWS, COLUMNS, MOMENT)[1]).toEqual(['F2 Port', null]);
  expect(tabbed(ROWS, COLUMNS, MOMENT)).toBe("Feeder\tA\nF10 Mill\t9\nF2 Port\t–\n'=F1\t100");
});

test.each([
  ['+1+cmd|x', "'+1+cmd|x"],
  ['-2+HYPERLINK("a")', '\'-2+HYPERLINK("a")'],
  [' =1', "' =1"],
  ['@a', "'@a"],
  ['-12.5', '-12.5'],
  ['+1,234.5', '+1,234.5'],
  ['–', '–'],
])('copies %s as %s: numbers are no formulas', (name, copied) => {
  expect(tabbed([{ name, amps: null }], COLUMNS.slice(0, 1), MOMENT)).toBe(`Feeder\n${copied}`);
});
