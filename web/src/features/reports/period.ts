// The periods of reports: the parts of each frequency, their choices, and the request (specification 3, sections 5 and 9). Pure; days are
// those of the utility's zone.
import { wallOf } from '../../charts/zone';
import { t } from '../../words';

/** Ids of the specification's frequencies. */
export const DAILY = 1;
export const MONTHLY = 2;
export const QUARTERLY = 3;
export const FINANCIAL_YEAR = 4;
export const NO_PERIOD = 5;
export const RANGE = 6;
export const SINGLE_DATE = 7;
export const WEEKLY = 9;

export type Part = 'day' | 'month' | 'year' | 'quarter' | 'week' | 'financialYear' | 'from' | 'to' | 'date';

const PARTS: Readonly<Record<number, readonly Part[]>> = {
  [DAILY]: ['day', 'month', 'year'],
  [MONTHLY]: ['month', 'year'],
  [QUARTERLY]: ['quarter', 'year'],
  [FINANCIAL_YEAR]: ['financialYear'],
  [NO_PERIOD]: [],
  [RANGE]: ['from', 'to'],
  [SINGLE_DATE]: ['date'],
  [WEEKLY]: ['week', 'year'],
};

/** The parts of a frequency in the order of its fields; null for an unknown frequency. */
export function partsOf(frequency: number): readonly Part[] | null {
  return PARTS[frequency] ?? null;
}

/** The entered parts. An empty or absent part is not selected. */
export type Parts = Readonly<Partial<Record<Part, string>>>;

/** A day of the calendar. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export function dayOf(ms: number, zone: string): Day {
  const wall = new Date(wallOf(ms, zone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
}

const two = (value: number) => String(value).padStart(2, '0');
export const isoOf = ({ year, month, day }: Day) => `${year}-${two(month)}-${two(day)}`;

/** A choice: its value, and its label. */
export type Choice = readonly [value: string, name: string];

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const MONTHS = upTo(12).map((month) => new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, month - 1, 15)));
const QUARTERS = ['Jan-Mar', 'Apr-Jun', 'Jul-Sep', 'Oct-Dec'];
const FINANCIAL_YEARS = 4;
const DAY_MS = 86_400_000;

/** The number of ISO 8601 weeks of a year: 52, or 53. The week of 28 December is always the last one. */
function weeksIn(year: number): number {
  return weekOf({ year, month: 12, day: 28 }).week;
}

/** The days of a week as text: '16 - 22 Nov'. */
function daysOf(week: number, year: number): string {
  const fourth = Date.UTC(year, 0, 4);
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS + (week - 1) * 7 * DAY_MS;
  const [first, last] = [new Date(monday), new Date(monday + 6 * DAY_MS)];
  const month = (day: Date) => (MONTHS[day.getUTCMonth()] ?? '').slice(0, 3);
  const begin = month(first) === month(last) ? `${first.getUTCDate()}` : `${first.getUTCDate()} ${month(first)}`;
  return `${begin} - ${last.getUTCDate()} ${month(last)}`;
}

/** The choices for a part of a period, such as its month. Null for a date, which is typed. Weeks are the weeks of the chosen year. */
export function choicesOf(part: Part, today: Day, chosen: Parts = {}): readonly Choice[] | null {
  switch (part) {
    case 'day':
      return upTo(31).map((day) => [String(day), two(day)]);
    case 'month':
      return MONTHS.map((name, index) => [String(index + 1), name]);
    case 'year':
      return [today.year - 1, today.year].map((year) => [String(year), String(year)]);
    case 'quarter':
      return QUARTERS.map((name, index) => [String(index + 1), name]);
    case 'week': {
      const year = Number(chosen.year) || today.year;
      return upTo(weeksIn(year)).map((week) => [String(week), `${week} (${daysOf(week, year)})`]);
    }
    case 'financialYear':
      return Array.from({ length: FINANCIAL_YEARS }, (_, index) => today.year - 2 + index).map((year) => [`${year}-${year + 1}`, t('reports.aprilToMarch', { from: year, to: year + 1 })]);
    default:
      return null;
  }
}

/** The ISO 8601 week of a day and its year. Weeks start on Monday; the first one has at least four days of the year. */
export function weekOf({ year, month, day }: Day): { readonly week: number; readonly year: number } {
  const date = Date.UTC(year, month - 1, day);
  // The Thursday of a week determines its year.
  const thursday = date + (3 - ((new Date(date).getUTCDay() + 6) % 7)) * DAY_MS;
  const of = new Date(thursday).getUTCFullYear();
  return { week: Math.floor((thursday - Date.UTC(of, 0, 1)) / (7 * DAY_MS)) + 1, year: of };
}

/** The initial week. The lists have no next year: on its first days, the initial week is the last one of this year. */
function presentWeek(today: Day): Parts {
  const { week, year } = weekOf(today);
  return year > today.year ? { week: String(weeksIn(today.year)), year: String(today.year) } : { week: String(week), year: String(year) };
}

/** The initial values of a frequency's fields: today, or empty where the specification requires a choice of the user. */
export function partsAtFirst(frequency: number, today: Day): Parts {
  switch (frequency) {
    case DAILY:
      return { day: String(today.day), month: String(today.month), year: String(today.year) };
    case SINGLE_DATE:
      return { date: isoOf(today) };
    case WEEKLY:
      return presentWeek(today);
    default:
      return {};
  }
}

/** Whether a text is an existing date, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The first missing part, or the error of the entered parts; null if they are a valid period. */
export function faultOf(frequency: number, parts: Parts): { readonly missing: Part } | { readonly wrong: string; readonly at: Part } | null {
  const missing = partsOf(frequency)?.find((part) => !parts[part]);
  if (missing) return { missing };
  const { day = '', month = '', year = '', week = '', from = '', to = '', date = '' } = parts;
  if (frequency === DAILY && !isDate(`${year}-${two(Number(month))}-${two(Number(day))}`)) {
    return { wrong: t('reports.noSuchDay', { day, month: MONTHS[Number(month) - 1] ?? month, year }), at: 'day' };
  }
  if (frequency === WEEKLY && Number(week) > weeksIn(Number(year))) return { wrong: t('reports.noSuchWeek', { year, weeks: weeksIn(Number(year)) }), at: 'week' };
  if (frequency === SINGLE_DATE && !isDate(date)) return { wrong: t('reports.notADate'), at: 'date' };
  if (frequency !== RANGE) return null;
  if (!isDate(from)) return { wrong: t('reports.notADate'), at: 'from' };
  if (!isDate(to)) return { wrong: t('reports.notADate'), at: 'to' };
  return from > to ? { wrong: t('reports.endsBeforeItBegins'), at: 'to' } : null;
}

/** Parts that are sent as text. The other parts are numbers. */
const TEXTS: readonly Part[] = ['financialYear', 'from', 'to', 'date'];

/** The parts of a period as they are sent: only those of its frequency. */
export function periodBody(frequency: number, parts: Parts): Readonly<Record<string, number | string>> {
  return Object.fromEntries((partsOf(frequency) ?? []).map((part) => [part, TEXTS.includes(part) ? (parts[part] ?? '') : Number(parts[part])]));
}

/** The parts of a period that was saved as one text. Parts that the text does not have are absent. */
export function partsIn(frequency: number, text: string): Parts {
  const plain = (digits: string | undefined) => (digits === undefined ? '' : String(Number(digits)));
  const found = (pattern: RegExp) => pattern.exec(text) ?? [];
  switch (frequency) {
    case DAILY: {
      const [, year, month, day] = found(/^(\d{4})-(\d{2})-(\d{2})$/);
      return { day: plain(day), month: plain(month), year: plain(year) };
    }
    case MONTHLY: {
      const [, year, month] = found(/^(\d{4})-(\d{2})$/);
      return { month: plain(month), year: plain(year) };
    }
    case QUARTERLY: {
      const [, year, quarter] = found(/^(\d{4})-Q([1-4])$/);
      return { quarter: plain(quarter), year: plain(year) };
    }
    case FINANCIAL_YEAR:
      return { financialYear: text };
    case RANGE: {
      const [from = '', to = ''] = text.split(',');
      return { from, to };
    }
    case SINGLE_DATE:
      return { date: text };
    case WEEKLY: {
      const [, year, week] = found(/^(\d{4})-W(\d{2})$/);
      return { week: plain(week), year: plain(year) };
    }
    default:
      return {};
  }
}
