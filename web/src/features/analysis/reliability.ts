// Reliability on the screen: the choices of months and years, the indices with their units, and the days of a month as columns. Pure.
import type { Bars } from '../../charts/bars';
import type { Range } from '../../charts/range';
import { instantOf, wallOf } from '../../charts/zone';
import { number } from '../../ui/format';
import type { Correction, Indices, Outage, Profile } from '../../wire/analysis-reliability';
import { t } from '../../words';

/** The first year that can be selected; the last is next year (specification 3, section 9). */
const FIRST_YEAR = 2019;

export interface Month {
  readonly year: number;
  /** From 1 to 12. */
  readonly month: number;
}

/** The month of an instant in the zone. */
export function monthOf(ms: number, zone: string): Month {
  const wall = new Date(wallOf(ms, zone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1 };
}

export function yearsUntil(now: number, zone: string): number[] {
  const last = monthOf(now, zone).year + 1;
  return Array.from({ length: Math.max(last - FIRST_YEAR + 1, 1) }, (_, index) => FIRST_YEAR + index);
}

const name = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
/** Names from January to December. */
export const MONTHS: readonly string[] = Array.from({ length: 12 }, (_, index) => name.format(Date.UTC(2024, index, 15)));

/** The month as a path segment, such as 202611. */
export const yyyymm = ({ year, month }: Month) => `${year}${String(month).padStart(2, '0')}`;

/** From the start of the month to the start of the next month. */
export function rangeOfMonth({ year, month }: Month, zone: string): Range {
  return { from: instantOf(Date.UTC(year, month - 1, 1), zone), to: instantOf(Date.UTC(year, month, 1), zone) };
}

/** The range of the day `date` (YYYY-MM-DD); null if it is not a date. */
export function rangeOfDay(date: string, zone: string): Range | null {
  const [year, month, day] = date.split('-').map(Number);
  if (!year || !month || !day) return null;
  return { from: instantOf(Date.UTC(year, month - 1, day), zone), to: instantOf(Date.UTC(year, month - 1, day + 1), zone) };
}

export interface IndexRow {
  readonly key: keyof Indices;
  readonly name: string;
  readonly unit: string;
  readonly definition: string;
  readonly decimals: number;
  /** Factor from the served value to the shown one. Shares are shown in percent. */
  readonly times?: number;
}

/** The four indices of the specification (3, section 2.1), with the definitions of IEEE 1366-2022, section 3. */
export const MAIN: readonly IndexRow[] = [
  { key: 'saidi', name: 'SAIDI', unit: t('reliability.minutes'), definition: t('reliability.saidiMeans'), decimals: 2 },
  { key: 'saifi', name: 'SAIFI', unit: t('reliability.interruptions'), definition: t('reliability.saifiMeans'), decimals: 2 },
  { key: 'caidi', name: 'CAIDI', unit: t('reliability.minutes'), definition: t('reliability.caidiMeans'), decimals: 2 },
  { key: 'caifi', name: 'CAIFI', unit: t('reliability.interruptions'), definition: t('reliability.caifiMeans'), decimals: 2 },
];

export const FURTHER: readonly IndexRow[] = [
  { key: 'maifi', name: 'MAIFI', unit: t('reliability.interruptions'), definition: t('reliability.maifiMeans'), decimals: 2 },
  { key: 'ctaidi', name: 'CTAIDI', unit: t('reliability.minutes'), definition: t('reliability.ctaidiMeans'), decimals: 2 },
  { key: 'asai', name: 'ASAI', unit: '%', definition: t('reliability.asaiMeans'), decimals: 4, times: 100 },
];

/** Formats an index. Null is a dash: a quotient is not defined if there were no interruptions. */
export function indexText({ decimals, times = 1 }: Pick<IndexRow, 'decimals' | 'times'>, value: number | null | undefined): string {
  return number(value == null ? null : value * times, decimals);
}

/** The days of the month: interruptions as columns, minutes as a line. Future days have no value instead of 0. */
export function profileBars({ rows }: Pick<Profile, 'rows'>): Bars {
  return {
    head: t('reliability.day'),
    categories: rows.map(({ dt }) => dt),
    notes: rows.map(({ majorEventDay }) => (majorEventDay ? t('reliability.majorEventDay') : null)),
    left: { name: t('reliability.interruptionsCount'), isWhole: true },
    right: { name: t('reliability.durationMinutes') },
    series: [
      {
        name: t('reliability.interruptionsCount'),
        unit: '',
        decimals: 0,
        colour: 0,
        values: rows.map(({ interruptions }) => interruptions),
      },
      { name: t('reliability.duration'), unit: 'min', colour: 3, as: 'line', axis: 'right', values: rows.map(({ duration }) => duration) },
    ],
  };
}

/** Causes that a user can select. */
export const CAUSES = [
  ['fault', t('reliability.causeFault')],
  ['planned', t('reliability.causePlanned')],
  ['switching', t('reliability.causeSwitching')],
  ['load_shedding', t('reliability.causeLoadShedding')],
  ['upstream', t('reliability.causeUpstream')],
  ['unknown', t('reliability.causeUnknown')],
] as const;

export function causeName(cause: string): string {
  return CAUSES.find(([key]) => key === cause)?.[1] ?? cause.replaceAll('_', ' ');
}

const CLASSES: Readonly<Record<string, string>> = {
  momentary: t('reliability.momentary'),
  sustained: t('reliability.sustained'),
  open: t('reliability.open'),
};
export const className = (word: string) => CLASSES[word] ?? word;

/** A time in the form of a field, in the zone: 2026-11-03T14:02:51. */
export function fieldTime(iso: string | null, zone: string): string {
  return iso ? new Date(Math.floor(wallOf(Date.parse(iso), zone) / 1_000) * 1_000).toISOString().slice(0, 19) : '';
}

/** The instant in a field as ISO 8601; null if the field is empty or invalid. */
export function instantIn(field: string, zone: string): string | null {
  const wall = Date.parse(`${field}Z`);
  return Number.isFinite(wall) && field !== '' ? new Date(instantOf(wall, zone)).toISOString() : null;
}

/** The fields of the correction form. */
export interface Corrected {
  readonly started: string;
  readonly ended: string;
  readonly cause: string;
  readonly note: string;
  readonly exclude: boolean;
}

type Correctable = Pick<Outage, 'started' | 'ended' | 'cause' | 'excludedBecause' | 'computed'>;

/** The form with the current values. Only an exclusion by a user is a choice of the form; other reasons for exclusion are not. */
export function formOf({ started, ended, cause, excludedBecause }: Correctable, zone: string): Corrected {
  return { started: fieldTime(started, zone), ended: fieldTime(ended, zone), cause, note: '', exclude: excludedBecause === 'by_hand' };
}

/** The form with the computed values, for taking back a correction. Null if there are none. */
export function computedForm({ computed }: Correctable, zone: string): Omit<Corrected, 'note'> | null {
  if (!computed?.started) return null;
  return {
    started: fieldTime(computed.started, zone),
    ended: fieldTime(computed.ended, zone),
    cause: computed.cause ?? 'unknown',
    exclude: false,
  };
}

/**
 * Returns the request, or the message of an error. A correction replaces the earlier one, so the request has all differences from the
 * computed values. An empty field keeps the computed value.
 */
export function correctionOf(outage: Correctable, form: Corrected, now: number, zone: string): Correction | string {
  const { computed } = outage;
  // A note has one line.
  const note = form.note.replace(/\s+/g, ' ').trim();
  if (note === '') return t('reliability.noteNeeded');
  // Fields have seconds. A time that the user has not changed keeps its milliseconds.
  const meant = (field: string, held: string | null, own: string | null) => {
    if (field === fieldTime(held, zone)) return held;
    return field === fieldTime(own, zone) ? own : instantIn(field, zone);
  };
  const started = meant(form.started, outage.started, computed?.started ?? null) ?? computed?.started ?? null;
  const ended = meant(form.ended, outage.ended, computed?.ended ?? null) ?? computed?.ended ?? null;
  if (started === null) return t('reliability.startNeeded');
  if (ended !== null && Date.parse(ended) < Date.parse(started)) return t('reliability.endBeforeStart');
  if (Date.parse(ended ?? started) > now) return t('reliability.inTheFuture');
  return {
    note,
    exclude: form.exclude,
    ...(started !== computed?.started && { started }),
    ...(ended !== null && ended !== computed?.ended && { ended }),
    ...(form.cause !== computed?.cause && { cause: form.cause }),
  };
}

const EXCLUDED: Readonly<Record<string, string>> = {
  by_hand: t('reliability.excludedByHand'),
  feeds_substation: t('reliability.excludedFeedsSubstation'),
  agricultural: t('reliability.excludedAgricultural'),
  cause: t('reliability.excludedCause'),
  before_sustained: t('reliability.excludedBeforeSustained'),
  no_customers: t('reliability.excludedNoCustomers'),
  major_event_day: t('reliability.majorEventDay'),
};

/** Whether the outage counts, or the reason why it does not, as text. */
export function countsText({ countsIn, excludedBecause }: Pick<Outage, 'countsIn' | 'excludedBecause'>): string {
  if (countsIn === null) return '–';
  if (countsIn) return t('reliability.yes');
  return t('reliability.doesNotCount', { because: EXCLUDED[excludedBecause ?? ''] ?? excludedBecause?.replaceAll('_', ' ') ?? '–' });
}
