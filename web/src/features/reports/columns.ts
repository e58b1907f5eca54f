// The columns of a report that is shown: their units, how many different values stand in them, and how a cell is written. Pure.
import type { TableColumn } from '../../table/columns';
import { eventTime, number } from '../../ui/format';
import type { Cell, ReportColumn, Shown } from '../../wire/reports';
import { dayOf, isoOf } from './period';
import { t } from '../../words';

export type ReportCells = readonly Cell[];

export interface ShownColumn extends TableColumn<ReportCells> {
  readonly unit: string;
  /** What it means, from the report's definition. */
  readonly meaning: string;
  readonly different: number;
}

const DECIMALS_MAX = 3;

/** The decimals of a number as it is written, up to a bound. */
function decimalsOf(value: number): number {
  const text = String(value);
  if (/e-/.test(text)) return DECIMALS_MAX;
  return Math.min(DECIMALS_MAX, text.split('.')[1]?.length ?? 0);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Numbers of a column stand under each other; ids and years are written as they come, without thousands. */
export function columnsOf({ head, rows }: Shown, definitions: readonly ReportColumn[]): readonly ShownColumn[] {
  // By place where the definition has as many columns, else by name: a report of one quantity may leave some out.
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
    // As the file has them; where a column does not say, as its numbers are written.
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
      text: (row, { now, zone }) => textOf(row[at] ?? null, kind, decimals, now, zone),
      value: (row) => {
        const cell = row[at] ?? null;
        return typeof cell === 'boolean' ? textOf(cell, kind, 0, 0, 'UTC') : cell;
      },
    };
  });
}

/** Seconds as h:mm:ss. */
function duration(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 3_600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/** Absence is a dash; an instant stands in the utility's zone, of a day its date alone. */
function textOf(cell: Cell, kind: string, decimals: number, now: number, zone: string): string {
  if (cell === null || cell === '') return '–';
  if (typeof cell === 'number') return kind === 'duration' && cell >= 0 ? duration(cell) : number(cell, decimals);
  if (typeof cell === 'boolean') return cell ? t('reports.yes') : t('reports.no');
  if (!INSTANT.test(cell)) return cell;
  return kind === 'day' ? isoOf(dayOf(Date.parse(cell), zone)) : eventTime(Date.parse(cell), now, zone, kind === 'millisecond');
}
