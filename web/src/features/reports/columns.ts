// The columns of a report: units, numbers of different values, and formats of cells. Pure.
import type { TableColumn } from '../../table/columns';
import { datedTime, number } from '../../ui/format';
import type { Cell, ReportColumn, Shown } from '../../wire/reports';
import { dayOf, isoOf } from './period';
import { t } from '../../words';

export type ReportCells = readonly Cell[];

export interface ShownColumn extends TableColumn<ReportCells> {
  readonly unit: string;
  /** The meaning of the column, from the report's definition. */
  readonly meaning: string;
  readonly different: number;
}

const DECIMALS_MAX = 3;

/** The number of decimals of a number as written, up to `DECIMALS_MAX`. */
function decimalsOf(value: number): number {
  const text = String(value);
  if (/e-/.test(text)) return DECIMALS_MAX;
  return Math.min(DECIMALS_MAX, text.split('.')[1]?.length ?? 0);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the columns with formats. Numbers of a column have the same decimals. Ids and years have no thousands separators. */
export function columnsOf({ head, rows }: Shown, definitions: readonly ReportColumn[]): readonly ShownColumn[] {
  // Matched by position if the definition has the same number of columns, else by name: a report of one quantity can leave columns out.
  const isByPlace = definitions.length === head.length;
  return head.map((name, at) => {
    const definition = isByPlace ? definitions[at] : definitions.find((column) => column.name === name);
    const unit = definition?.unit ?? '';
    const kind = definition?.kind ?? '';
    let found = 0;
    let numbers = 0;
    let others = 0;
    const different = new Set<Cell>();
    for (const row of rows) {
      const cell = row[at] ?? null;
      different.add(cell);
      if (typeof cell === 'number') {
        numbers += 1;
        found = Math.max(found, decimalsOf(cell));
      } else if (cell !== null && cell !== '') others += 1;
    }
    // The decimals of the definition, which the file has as well. Default: those of the column's numbers.
    const decimals = definition?.decimals ?? found;
    different.delete(null);
    different.delete('');
    return {
      key: String(at),
      name: unit && !name.includes(`(${unit})`) ? `${name} (${unit})` : name,
      unit,
      meaning: definition?.meaning ?? '',
      different: different.size,
      isNumber: numbers > 0 && others === 0,
      text: (row, { zone }) => textOf(row[at] ?? null, kind, decimals, zone),
      value: (row) => {
        const cell = row[at] ?? null;
        return typeof cell === 'boolean' ? textOf(cell, kind, 0, 'UTC') : cell;
      },
    };
  });
}

/** Formats seconds as h:mm:ss, with milliseconds if they have a part. */
function duration(seconds: number): string {
  const padded = (value: number, digits = 2) => String(value).padStart(digits, '0');
  const ms = Math.round(seconds * 1_000);
  const whole = Math.floor(ms / 1_000);
  const part = ms % 1_000 === 0 ? '' : `.${padded(ms % 1_000, 3)}`;
  return `${Math.floor(whole / 3_600)}:${padded(Math.floor(whole / 60) % 60)}:${padded(whole % 60)}${part}`;
}

/** Formats a cell. An absent value is a dash. An instant is shown in the utility's zone with its date, also today; a day as its date only. */
function textOf(cell: Cell, kind: string, decimals: number, zone: string): string {
  if (cell === null || cell === '') return '–';
  if (typeof cell === 'number') return kind === 'duration' && cell >= 0 ? duration(cell) : number(cell, decimals);
  if (typeof cell === 'boolean') return cell ? t('reports.yes') : t('reports.no');
  if (!INSTANT.test(cell)) return cell;
  return kind === 'day' ? isoOf(dayOf(Date.parse(cell), zone)) : datedTime(Date.parse(cell), zone, kind === 'millisecond');
}
