// Gauges below one another: each a bar with its limits and a needle. A gauge without a value has no needle and a text.
import { crisp, letters, line, type Figure, type Ink, type Key, type Size, type View } from './ink';
import { figure } from './model';
import { faint, type Palette } from './palette';
import { linear } from './scales';

export interface GaugeRow {
  readonly name: string;
  /** The present value. Null means unknown and is never shown as 0. */
  readonly value: number | null;
  readonly unit: string;
  readonly decimals?: number;
  readonly from: number;
  readonly to: number;
  /** Values from which the gauge shows a warning or an alarm. */
  readonly warn?: number | null;
  readonly alarm?: number | null;
  /** Why the value is not live, such as its age. The value is dimmed. */
  readonly doubt?: string | null;
}

export interface GaugeWords {
  /** The text without a value, such as NO DATA. */
  readonly nothing: string;
  readonly warn: string;
  readonly alarm: string;
  /** Headings of the table. */
  readonly name: string;
  readonly value: string;
}

const ROW = 76;
const BAR = 10;
/** Largest width of the name of a limit, px. */
const NAME_ROOM = 60;

/** Height of a figure with this number of gauges, px. */
export const gaugeHeight = (rows: number) => rows * ROW;

/** The state of a value according to its limits. */
export function standing({ value, warn, alarm }: Pick<GaugeRow, 'value' | 'warn' | 'alarm'>): 'none' | 'normal' | 'warn' | 'alarm' {
  if (value === null || !Number.isFinite(value)) return 'none';
  if (alarm != null && value >= alarm) return 'alarm';
  return warn != null && value >= warn ? 'warn' : 'normal';
}

export function gauges(rows: readonly GaugeRow[], words: GaugeWords): Figure {
  const said = ({ value, unit, decimals = 1 }: GaugeRow) =>
    standing({ value }) === 'none' ? words.nothing : `${figure(value, decimals)} ${unit}`.trim();
  const limits = (row: GaugeRow) =>
    [
      row.warn == null ? '' : `${words.warn} ${figure(row.warn, row.decimals ?? 1)}`,
      row.alarm == null ? '' : `${words.alarm} ${figure(row.alarm, row.decimals ?? 1)}`,
    ]
      .filter(Boolean)
      .join(', ');
  return {
    // Gauges without a value are shown, because the missing value is information.
    isEmpty: rows.length === 0,
    stops: rows.length,
    keys: (): Key[] => [],
    nearest: (_, y, { height }: Size) => {
      const at = Math.floor((y / height) * rows.length);
      return at >= 0 && at < rows.length ? at : null;
    },
    placeOf: (stop, { width, height }) => ({ x: width / 2, y: (stop / Math.max(rows.length, 1)) * height }),
    told: (stop, palette) => {
      const row = rows[stop];
      if (!row) return { title: '', said: [] };
      return {
        title: row.name,
        said: [{ label: null, colour: colourOf(row, palette), text: said(row) }],
        note: [row.doubt, limits(row)].filter(Boolean).join(', ') || undefined,
      };
    },
    table: {
      head: [words.name, words.value, words.warn, words.alarm],
      decimals: [0, 1, 1, 1],
      rows: rows.length,
      cells: (at) => {
        const row = rows[at];
        return row ? [row.unit ? `${row.name} (${row.unit})` : row.name, row.value, row.warn ?? null, row.alarm ?? null] : [];
      },
    },
    draw: (ink, view) => rows.forEach((row, index) => drawn(ink, view, row, (view.height / rows.length) * index, said(row), words)),
  };
}

function colourOf(row: GaugeRow, { text, quiet, doubt, alarm }: Palette): string {
  const own = standing(row);
  if (own === 'none' || row.doubt) return quiet;
  return own === 'alarm' ? alarm : own === 'warn' ? doubt : text;
}

function drawn(ink: Ink, { width, palette, font }: View, row: GaugeRow, top: number, text: string, words: GaugeWords): void {
  const scale = linear(row.from, row.to, { parts: 6 });
  const [left, right] = [12, width - 12];
  const xOf = (value: number) => left + Math.min(Math.max(scale.share(value) ?? 0, 0), 1) * (right - left);
  const y = top + 38;
  const own = standing(row);
  const colour = colourOf(row, palette);
  letters(ink, row.name, left, top + 16, { colour: palette.quiet, font, size: 12 });
  letters(ink, text, right, top + 16, { colour, font, size: own === 'none' ? 13 : 18, isBold: true, align: 'right' });
  ink.fillStyle = faint(palette.quiet, 0.18);
  ink.fillRect(left, y, right - left, BAR);
  const zone = (from: number, to: number, fill: string) => {
    ink.fillStyle = faint(fill, 0.55);
    ink.fillRect(xOf(from), y + BAR - 3, Math.max(xOf(to) - xOf(from), 0), 3);
  };
  if (row.warn != null) zone(row.warn, row.alarm ?? scale.to, palette.doubt);
  if (row.alarm != null) zone(row.alarm, scale.to, palette.alarm);
  for (const { value, words: mark } of scale.marks) {
    line(ink, [crisp(xOf(value)), y + BAR], [crisp(xOf(value)), y + BAR + 4], palette.quiet);
    letters(ink, mark, xOf(value), y + BAR + 6, {
      colour: palette.quiet,
      font,
      size: 10,
      align: value === scale.from ? 'left' : value === scale.to ? 'right' : 'center',
      baseline: 'top',
    });
  }
  for (const [limit, name, isLast] of [
    [row.warn, words.warn, false],
    [row.alarm, words.alarm, true],
  ] as const) {
    if (limit == null) continue;
    line(ink, [crisp(xOf(limit)), y - 5], [crisp(xOf(limit)), y + BAR], palette.text);
    // The name of the lower limit is left of it, and that of the upper limit right of it, so that they stay apart when the limits are near.
    const isRight = isLast && xOf(limit) + NAME_ROOM < right;
    letters(ink, name, xOf(limit) + (isRight ? 4 : -4), y - 6, { colour: palette.quiet, font, size: 10, align: isRight ? 'left' : 'right' });
  }
  if (row.value === null || own === 'none') return;
  const x = xOf(row.value);
  ink.fillStyle = faint(colour, row.doubt ? 0.4 : 0.75);
  ink.fillRect(left, y + 2, x - left, BAR - 5);
  ink.fillStyle = colour;
  ink.beginPath();
  ink.moveTo(x, y + BAR - 2);
  ink.lineTo(x - 5, y - 7);
  ink.lineTo(x + 5, y - 7);
  ink.closePath();
  ink.fill();
}
