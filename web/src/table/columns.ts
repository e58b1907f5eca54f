// What a column of a live table is, and what follows from it: order, filter, text of a file. Pure.

/** When and under which conditions a row is looked at. */
export interface Moment {
  /** The server's time, epoch ms. */
  readonly now: number;
  readonly zone: string;
}

export interface TableColumn<T> {
  readonly key: string;
  readonly name: string;
  /** Numbers stand right. */
  readonly isNumber?: boolean;
  /** What is shown. */
  readonly text: (row: T, moment: Moment) => string;
  /** What is compared and written into files, where it is not the text itself: a number, or a time as ISO 8601. */
  readonly value?: (row: T) => string | number | null;
  readonly title?: (row: T, moment: Moment) => string;
}

export interface Sorting {
  readonly key: string;
  readonly descending: boolean;
}

const valueOf = <T>(column: TableColumn<T>, row: T, moment: Moment) => (column.value ? column.value(row) : column.text(row, moment));

/** One for all: making one for each comparison takes most of the time of ordering. */
const collator = new Intl.Collator('en', { numeric: true });

/** Absent values come last, whichever way. */
export function sorted<T>(rows: readonly T[], columns: readonly TableColumn<T>[], sorting: Sorting | null, moment: Moment): readonly T[] {
  const column = columns.find(({ key }) => key === sorting?.key);
  if (!column || !sorting) return rows;
  const sign = sorting.descending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: valueOf(column, row, moment) }));
  keyed.sort(({ value: a }, { value: b }) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)));
  });
  return keyed.map(({ row }) => row);
}

/** Rows of which every word of the filter stands in some column. */
export function filtered<T>(rows: readonly T[], columns: readonly TableColumn<T>[], filter: string, moment: Moment): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns.map((column) => column.text(row, moment).toLowerCase());
    return words.every((word) => text.some((cell) => cell.includes(word)));
  });
}

/** The next order after a click on a heading: up, down, and then the table's own. */
export function nextSorting(before: Sorting | null, key: string): Sorting | null {
  if (before?.key !== key) return { key, descending: false };
  return before.descending ? null : { key, descending: true };
}

/** Rows as cells of a file. */
export function cells<T>(rows: readonly T[], columns: readonly TableColumn<T>[], moment: Moment): (string | number | null)[][] {
  return rows.map((row) => columns.map((column) => valueOf(column, row, moment)));
}

/** What a spreadsheet would take for a formula, whatever stands before it; numbers are none. */
const FORMULA = /^\s*[=+\-@]/;
const NUMBER = /^[-+]?\d+([.,]\d+)*$/;

/** Rows as text that a spreadsheet takes from the clipboard. */
export function tabbed<T>(rows: readonly T[], columns: readonly TableColumn<T>[], moment: Moment): string {
  const clean = (cell: string) => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell).replace(/[\t\r\n]+/g, ' ');
  return [columns.map(({ name }) => name), ...rows.map((row) => columns.map((column) => column.text(row, moment)))].map((line) => line.map(clean).join('\t')).join('\n');
}
