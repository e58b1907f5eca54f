// Tests of the columns of a report: units, counts, decimals, times in the zone, and the text for the clipboard.
import { expect, test } from 'vitest';
import { sorted, tabbed } from '../../table/columns';
import { columnsOf, type ReportCells } from './columns';

const MOMENT = { now: Date.UTC(2026, 10, 22, 8), zone: 'Asia/Kolkata' };
const HEAD = ['Feeder', 'Time', 'Energy', 'Tripped', 'Mixed'];
const ROWS: readonly ReportCells[] = [
  ['F1', '2026-11-21T18:30:00.000Z', 12.5, true, 1],
  ['F1', '2026-11-20T03:00:00Z', 7, false, 'none'],
  ['=F3', null, -0.125, null, ''],
];
const DEFINITIONS = [
  { name: 'Feeder', unit: '', kind: 'text', decimals: null, meaning: 'Which' },
  { name: 'Time', unit: '', kind: 'time', decimals: null, meaning: '' },
  { name: 'Energy', unit: 'kWh', kind: 'number', decimals: null, meaning: 'Sum of the hour' },
  { name: 'Tripped', unit: '', kind: '', decimals: null, meaning: '' },
  { name: 'Mixed', unit: '', kind: '', decimals: null, meaning: '' },
];
const columns = columnsOf({ head: HEAD, rows: ROWS, more: false }, DEFINITIONS);
const texts = (row: number) => columns.map((column) => column.text(ROWS[row] ?? [], MOMENT));

test('headings carry units, meanings and how many different values there are', () => {
  expect(columns.map(({ name, meaning, different, isNumber }) => [name, meaning, different, isNumber])).toEqual([
    ['Feeder', 'Which', 2, false],
    ['Time', '', 2, false],
    ['Energy (kWh)', 'Sum of the hour', 3, true],
    ['Tripped', '', 2, false],
    ['Mixed', '', 2, false],
  ]);
});

test('a heading that names its unit does not get it twice, and definitions that do not fit by place fit by name', () => {
  const [own] = columnsOf({ head: ['Energy (kWh)'], rows: [], more: false }, [{ name: 'Energy', unit: 'kWh', kind: 'number', decimals: null, meaning: '' }]);
  expect(own?.name).toBe('Energy (kWh)');
  const [second] = columnsOf({ head: ['Energy'], rows: [], more: false }, DEFINITIONS);
  expect(second?.name).toBe('Energy (kWh)');
});

test('numbers have the decimals of their column, absence is a dash, instants stand in the zone', () => {
  expect(texts(0)).toEqual(['F1', '22 Nov 2026 00:00:00', '12.500', 'Yes', '1']);
  expect(texts(1)).toEqual(['F1', '20 Nov 2026 08:30:00', '7.000', 'No', 'none']);
  expect(texts(2)).toEqual(['=F3', '–', '−0.125', '–', '–']);
});

test('numbers are ordered as numbers, instants as instants, absent ones last', () => {
  const by = (key: string) => sorted(ROWS, columns, { key, descending: false }, MOMENT).map((row) => row[2]);
  expect(by('2')).toEqual([-0.125, 7, 12.5]);
  expect(by('1')).toEqual([7, 12.5, -0.125]);
});

test('the clipboard gets headings and rows, and nothing that a spreadsheet takes for a formula', () => {
  const lines = tabbed(ROWS, columns, MOMENT).split('\n');
  expect(lines[1]?.startsWith('F1\t22 Nov 2026 00:00:00\t')).toBe(true);
  expect(lines[0]).toBe('Feeder\tTime\tEnergy (kWh)\tTripped\tMixed');
  expect(lines[3]?.startsWith("'=F3\t")).toBe(true);
});

test('a day stands without its time, and what lasts as hours, minutes and seconds', () => {
  const head = ['Day', 'Lasted'];
  const rows: readonly ReportCells[] = [['2026-11-20T18:30:00.000Z', 3_725], ['2026-11-19', null], ['2026-11-19', 0.4]];
  const own = columnsOf({ head, rows, more: false }, [
    { name: 'Day', unit: '', kind: 'day', decimals: null, meaning: '' },
    { name: 'Lasted', unit: '', kind: 'duration', decimals: null, meaning: '' },
  ]);
  expect(rows.map((row) => own.map((column) => column.text(row, MOMENT)))).toEqual([
    ['2026-11-21', '1:02:05'],
    ['2026-11-19', '–'],
    ['2026-11-19', '0:00:00.400'],
  ]);
});

test('a column that says its decimals has them whatever its numbers are, and milliseconds stand where they were measured', () => {
  const head = ['ASAI', 'Event time'];
  const rows: readonly ReportCells[] = [[0.999886, '2026-11-22T02:33:22.118Z'], [1, '2026-11-22T02:33:22.164Z']];
  const definitions = [
    { name: 'ASAI', unit: '', kind: 'number', decimals: 6, meaning: '' },
    { name: 'Event time', unit: '', kind: 'millisecond', decimals: null, meaning: '' },
  ];
  const shown = columnsOf({ head, rows, more: false }, definitions);
  expect(rows.map((row) => shown.map((column) => column.text(row, MOMENT)))).toEqual([['0.999886', '22 Nov 2026 08:03:22.118'], ['1.000000', '22 Nov 2026 08:03:22.164']]);
});
