// Chart data as rows for the table view, CSV and XLSX. Pure.
import { figure, labelOf, type ChartData, type Column, type Look } from './model';
import { fileTime } from './ticks';

export type Cell = string | number | null;

export interface Table {
  readonly head: readonly string[];
  /** Number of decimals of each column. */
  readonly decimals: readonly number[];
  readonly rows: number;
  /** The cells of a row: its time, then the values. */
  readonly cells: (row: number) => Cell[];
}

/** The texts of the headings. */
export interface Heads {
  readonly time: (zone: string) => string;
  readonly min: (name: string) => string;
  readonly max: (name: string) => string;
  readonly quality: string;
  /** The text of a quality code. */
  readonly word: (code: number) => string;
}

const rounded = (value: number | null | undefined, decimals: number): number | null =>
  value == null ? null : Number(value.toFixed(decimals));

/** Returns one row for each time: values with the column's decimals, and at the end the worst quality of the row. */
export function tableOf({ times, columns }: ChartData, look: Pick<Look, 'styles'>, zone: string, heads: Heads): Table {
  const places = columns.flatMap((column) => {
    const name = nameOf(column, look);
    const { decimals, mean, min, max } = column;
    const line = { name, decimals, values: mean };
    const isEnveloped = min.length > 0 && max.length > 0;
    const [low, high] = look.styles[column.code]?.band ?? [heads.min(name), heads.max(name)];
    return isEnveloped ? [line, { name: low, decimals, values: min }, { name: high, decimals, values: max }] : [line];
  });
  const hasQuality = columns.some(({ quality }) => quality.length > 0);
  const worst = (row: number) =>
    columns.reduce<number | null>((held, { quality }) => (quality[row] == null ? held : Math.max(held ?? 0, quality[row])), null);
  const cells = (row: number): Cell[] => {
    const code = hasQuality ? worst(row) : null;
    const values = places.map(({ values, decimals }) => rounded(values[row], decimals));
    return [fileTime(times[row] ?? 0, zone), ...values, ...(hasQuality ? [code === null ? null : heads.word(code)] : [])];
  };
  return {
    head: [heads.time(zone), ...places.map(({ name }) => name), ...(hasQuality ? [heads.quality] : [])],
    decimals: [0, ...places.map(({ decimals }) => decimals), ...(hasQuality ? [0] : [])],
    rows: times.length,
    cells,
  };
}

/** The name of a column with its label and unit, without repetition. */
function nameOf(column: Column, look: Pick<Look, 'styles'>): string {
  const label = labelOf(column, look);
  return `${column.name.endsWith(label) ? column.name : `${column.name} ${label}`}${column.unit ? ` (${column.unit})` : ''}`;
}

/** All rows of a table. */
export function allRows({ rows, cells }: Table): Cell[][] {
  return Array.from({ length: rows }, (_, row) => cells(row));
}

/** The text of a cell. */
export function shownCell(cell: Cell | undefined, decimals: number): string {
  return typeof cell === 'number' ? figure(cell, decimals) : (cell ?? '–');
}
