// Faults as columns: the number of each type by day or place, stacked, and their duration as a line. Pure.
import type { Bars, BarSeries } from '../../charts/bars';
import { wallOf } from '../../charts/zone';
import type { FaultTrendRow } from '../../wire/analysis-faults';
import { t } from '../../words';

const DAY = 86_400_000;
/** Largest number of days shown. The oldest days are left out with a note. */
export const DAYS_MOST = 400;
/** Largest number of places shown, those with the most faults. */
export const PLACES_MOST = 40;

/** Known types, each with a fixed colour. Other types follow. */
const TYPES = ['LG', 'LL', 'LLG', 'LLL', 'Not known'];

/** The types of the rows in a fixed order. */
export function typesOf(rows: readonly FaultTrendRow[]): string[] {
  const found = new Set(rows.map(({ FaultType }) => FaultType));
  return [...TYPES.filter((type) => found.has(type)), ...[...found].filter((type) => !TYPES.includes(type)).sort()];
}

/** A day or a place, with the label of its column. */
export interface Category {
  readonly key: string;
  readonly label: string;
  readonly title: string;
  /** Whether faults of this day have been deleted, so that their number is not known. */
  readonly isForgotten?: boolean;
}

/**
 * Every day of the span in the zone, also days without faults, and the number of days left out. Faults of days that start before `keptFrom`
 * have been deleted, at least in part.
 */
export function daysOf(
  { from, to }: { readonly from: number; readonly to: number },
  zone: string,
  keptFrom: number | null = null,
): { days: Category[]; cut: number } {
  const kept = keptFrom === null ? -Infinity : wallOf(keptFrom, zone);
  const first = Math.floor(wallOf(from, zone) / DAY);
  const last = Math.floor(wallOf(to - 1, zone) / DAY);
  const cut = Math.max(0, last - first + 1 - DAYS_MOST);
  const days = Array.from({ length: Math.max(0, last - first + 1 - cut) }, (_, index): Category => {
    const key = new Date((first + cut + index) * DAY).toISOString().slice(0, 10);
    const [year, month, day] = key.split('-');
    const isForgotten = (first + cut + index) * DAY < kept;
    return { key, label: `${day}/${month}`, title: `${day}/${month}/${year}`, ...(isForgotten && { isForgotten }) };
  });
  return { days, cut };
}

/** Places with faults, those with the most faults first. Within one substation the places are its assets. */
export function placesOf(rows: readonly FaultTrendRow[], isOneSubstation: boolean): { places: Category[]; cut: number } {
  const sums = new Map<string, { name: string; times: number }>();
  for (const row of rows) {
    const key = placeKey(row, isOneSubstation);
    const sum = sums.get(key) ?? { name: isOneSubstation ? row.assetName : (row.locationName ?? row.assetName), times: 0 };
    sum.times += row.NoOfTimes;
    sums.set(key, sum);
  }
  const all = [...sums].sort(([, a], [, b]) => b.times - a.times || a.name.localeCompare(b.name));
  return {
    places: all.slice(0, PLACES_MOST).map(([key, { name }]) => ({ key, label: name, title: name })),
    cut: Math.max(0, all.length - PLACES_MOST),
  };
}

export function placeKey({ assetId, locationId }: FaultTrendRow, isOneSubstation: boolean): string {
  return isOneSubstation || locationId === null ? `asset ${assetId}` : `location ${locationId}`;
}

export function faultBars(
  rows: readonly FaultTrendRow[],
  head: string,
  categories: readonly Category[],
  keyOf: (row: FaultTrendRow) => string,
): Bars {
  const placeOf = new Map(categories.map(({ key }, index) => [key, index]));
  const types = typesOf(rows);
  // A day with deleted faults has no number instead of 0.
  const none = categories.map(({ isForgotten }) => (isForgotten ? null : 0));
  const counts = new Map(types.map((type) => [type, [...none] as (number | null)[]]));
  const minutes = new Map(types.map((type) => [type, [...none] as (number | null)[]]));
  const known = new Map(types.map((type) => [type, categories.map(() => false)]));
  const open = categories.map(() => 0);
  for (const row of rows) {
    const at = placeOf.get(keyOf(row));
    const count = counts.get(row.FaultType);
    const duration = minutes.get(row.FaultType);
    if (at === undefined || !count || !duration) continue;
    count[at] = (count[at] ?? 0) + row.NoOfTimes;
    // The duration is 0 minutes without a fault, and unknown while all faults are open.
    const isKnown = known.get(row.FaultType);
    if (row.Duration !== null) {
      duration[at] = (duration[at] ?? 0) + row.Duration;
      if (isKnown) isKnown[at] = true;
    } else if (!isKnown?.[at]) duration[at] = null;
    open[at] = (open[at] ?? 0) + row.open;
  }
  const colourOf = (type: string) => (TYPES.includes(type) ? TYPES.indexOf(type) : TYPES.length);
  return {
    head,
    categories: categories.map(({ label }) => label),
    titles: categories.map(({ title }) => title),
    notes: open.map((many) => (many > 0 ? t('faulttrends.stillOpen', { many }) : null)),
    left: { name: t('faulttrends.faultCount'), isWhole: true },
    right: { name: t('faulttrends.totalDuration') },
    series: [
      ...types.map((type): BarSeries => ({
        name: type,
        unit: '',
        decimals: 0,
        colour: colourOf(type),
        stack: 'types',
        values: counts.get(type) ?? [],
      })),
      ...types.map((type): BarSeries => ({
        name: `${type}_duration`,
        unit: 'min',
        colour: colourOf(type),
        as: 'line',
        axis: 'right',
        values: minutes.get(type) ?? [],
      })),
    ],
  };
}
