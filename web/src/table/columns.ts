// The columns of a live table: sorting, filtering, and text for files. Pure.

/** The time and time zone for which rows are rendered. */
export interface Moment {
  /** The server's time, epoch ms. */
  readonly now: number;
  readonly zone: string;
}

export interface TableColumn<T> {
  readonly key: string;
  readonly name: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** The text of the cell. */
  readonly text: (row: T, moment: Moment) => string;
  /** The value for sorting and files if it differs from the text: a number, or a time as ISO 8601. */
  readonly value?: (row: T) => string | number | null;
  readonly title?: (row: T, moment: Moment) => string;
  /** The heading under which the choice of columns lists it. */
  readonly group?: string | undefined;
  /** Whether it is hidden until the user chooses it. */
  readonly isExtra?: boolean | undefined;
}

export interface Sorting {
  readonly key: string;
  readonly descending: boolean;
}

const valueOf = <T>(column: TableColumn<T>, row: T, moment: Moment) => (column.value ? column.value(row) : column.text(row, moment));

/** Shared, because creating a collator for each comparison takes most of the sorting time. */
const collator = new Intl.Collator('en', { numeric: true });

/** Returns the sorted rows. Absent values come last in both directions. */
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

/** Returns the rows whose columns contain every word of the filter. */
export function filtered<T>(rows: readonly T[], columns: readonly TableColumn<T>[], filter: string, moment: Moment): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns.map((column) => column.text(row, moment).toLowerCase());
    return words.every((word) => text.some((cell) => cell.includes(word)));
  });
}

/** The sorting after a click on a heading: ascending, then descending, then the table's default. */
export function nextSorting(before: Sorting | null, key: string): Sorting | null {
  if (before?.key !== key) return { key, descending: false };
  return before.descending ? null : { key, descending: true };
}

/** Rows as cells of a file. */
export function cells<T>(rows: readonly T[], columns: readonly TableColumn<T>[], moment: Moment): (string | number | null)[][] {
  return rows.map((row) => columns.map((column) => valueOf(column, row, moment)));
}

/** Text that a spreadsheet would evaluate as a formula. Numbers are excluded. */
const FORMULA = /^\s*[=+\-@]/;
const NUMBER = /^[-+]?\d+([.,]\d+)*$/;

/** Rows as tab-separated text for pasting into a spreadsheet. */
export function tabbed<T>(rows: readonly T[], columns: readonly TableColumn<T>[], moment: Moment): string {
  const clean = (cell: string) => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell).replace(/[\t\r\n]+/g, ' ');
  return [columns.map(({ name }) => name), ...rows.map((row) => columns.map((column) => column.text(row, moment)))].map((line) => line.map(clean).join('\t')).join('\n');
}
