// Demand and its peaks as charts and rows, and the accuracy of forecasts in a span. Pure.
import type { Bars } from '../../charts/bars';
import { DOTTED } from '../../charts/bars';
import type { ChartData, Column, Look } from '../../charts/model';
import type { Range } from '../../charts/range';
import { fullTime } from '../../charts/ticks';
import type { DemandOverTime, ForecastRow, ForecastVsActual, PeakRow, Peaks } from '../../wire/analysis-demand';
import { t } from '../../words';

/** The bands of a day with the specification's names (3, section 9). */
export const BANDS = [
  ['night', t('demand.night')],
  ['morning', t('demand.morning')],
  ['day', t('demand.day')],
  ['evening', t('demand.evening')],
] as const;

/** The chart of peaks by band. All four bands are shown; a band without a reading has no column. */
export function peakBars({ rows, unit }: Pick<Peaks, 'rows' | 'unit'>, zone: string): Bars {
  const of = (band: string) => rows.find(({ timeInterval }) => timeInterval === band);
  return {
    head: t('demand.timeInterval'),
    categories: BANDS.map(([, name]) => name),
    titles: BANDS.map(([band, name]) => {
      const at = of(band)?.reportedDateTime;
      return at ? `${name}, ${fullTime(Date.parse(at), 60_000, zone)}` : name;
    }),
    left: { name: unit },
    series: [{ name: t('demand.peakDemand'), unit, colour: 0, values: BANDS.map(([band]) => of(band)?.peakDemand ?? null) }],
  };
}

/** The name of a row in the table of peaks. */
export function intervalName({ timeInterval }: Pick<PeakRow, 'timeInterval'>): string {
  const names: Readonly<Record<string, string>> = {
    today: t('demand.today'),
    month: t('demand.month'),
    year: t('demand.year'),
    ...Object.fromEntries(BANDS),
  };
  return names[timeInterval] ?? timeInterval;
}

/** The time of a peak; for a month or year only the date. */
export function readingTime({ timeInterval, reportedDateTime }: Pick<PeakRow, 'timeInterval' | 'reportedDateTime'>, zone: string): string {
  if (!reportedDateTime) return '–';
  return fullTime(Date.parse(reportedDateTime), timeInterval === 'month' || timeInterval === 'year' ? 86_400_000 : 60_000, zone);
}

/** The chart of demand: a line of blocks; for a long span a line of days with a band from the lowest to the highest block. */
export function demandChart({ rows, unit, blockMinutes, byDay }: DemandOverTime): ChartData {
  const bare = { phase: null, unit, decimals: 2, quality: [] };
  const ends = byDay ? { min: rows.map(({ lowest }) => lowest), max: rows.map(({ highest }) => highest) } : { min: [], max: [] };
  return {
    times: rows.map(({ timeMs }) => timeMs),
    bucketMs: byDay ? 86_400_000 : (blockMinutes ?? 0) * 60_000,
    columns: [{ ...bare, ...ends, code: 'demand', name: t('demand.demand'), mean: rows.map(({ demand }) => demand) }],
  };
}

/** Demand starts at 0. The ends of its band are blocks. */
export const DEMAND_LOOK: Partial<Look> = {
  fromZero: true,
  styles: { demand: { colour: 0, band: [t('demand.lowestBlock'), t('demand.highestBlock')] } },
};

/** The forecast is dotted and has a band from the 10th to the 90th percentile. */
export const FORECAST_LOOK: Partial<Look> = {
  kind: 'mean',
  hasNoEnds: true,
  styles: {
    actual: { label: t('demand.actual'), colour: 0 },
    forecast: { label: t('demand.forecast'), colour: 3, dash: DOTTED, band: [t('demand.q10'), t('demand.q90')] },
  },
};

export function forecastChart({ rows, unit }: Pick<ForecastVsActual, 'rows' | 'unit'>): ChartData {
  const sorted = [...rows].sort((a, b) => a.timeMs - b.timeMs);
  const bare = { phase: null, unit, decimals: 2, min: [], max: [], quality: [] } as const;
  const of = (pick: (row: ForecastRow) => number | null) => sorted.map(pick);
  const columns: Column[] = [
    { ...bare, code: 'actual', name: t('demand.actual'), mean: of(({ actual }) => actual) },
    {
      ...bare,
      code: 'forecast',
      name: t('demand.forecast'),
      mean: of(({ forecast }) => forecast),
      min: of(({ q10 }) => q10),
      max: of(({ q90 }) => q90),
    },
  ];
  return { times: of(({ timeMs }) => timeMs) as number[], bucketMs: stepOf(sorted.map(({ timeMs }) => timeMs)), columns };
}

/** The usual distance of times, ms; 0 for fewer than two times. */
export function stepOf(times: readonly number[]): number {
  const apart = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .filter((distance) => distance > 0)
    .sort((a, b) => a - b);
  return apart[apart.length >> 1] ?? 0;
}

/**
 * The accuracy of a forecast in percent. The skill is 1 for a perfect forecast, and 0 for one that is only as good as the value of the same time a
 * week before.
 */
export interface Precision {
  readonly mape: number | null;
  readonly wape: number | null;
  readonly skill: number | null;
  /** Number of rows in the mean error, and of rows without a defined error. */
  readonly used: number;
  readonly skipped: number;
}

/** Computes the accuracy from the rows of a span with both values. A row without a defined error, for example near zero load, counts only in the sums. */
export function precisionIn(rows: readonly ForecastRow[], { from, to }: Range): Precision {
  const both = rows.filter(({ timeMs, actual, forecast }) => timeMs >= from && timeMs <= to && actual !== null && forecast !== null);
  const errors = both.flatMap(({ mape }) => mape ?? []);
  const wapeOf = (own: readonly ForecastRow[], pick: (row: ForecastRow) => number | null) => {
    const whole = own.reduce((sum, { actual }) => sum + Math.abs(actual ?? 0), 0);
    return whole > 0 ? (own.reduce((sum, row) => sum + Math.abs((row.actual ?? 0) - (pick(row) ?? 0)), 0) / whole) * 100 : null;
  };
  // Both forecasts are compared on the same rows. Otherwise the one with easier hours would seem better.
  const naive = both.filter((row) => row.naive !== null);
  const [own, other] = [wapeOf(naive, ({ forecast }) => forecast), wapeOf(naive, ({ naive }) => naive)];
  return {
    mape: errors.length > 0 ? errors.reduce((sum, error) => sum + error, 0) / errors.length : null,
    wape: both.length > 0 ? wapeOf(both, ({ forecast }) => forecast) : null,
    skill: own !== null && other !== null && other > 0 ? 1 - own / other : null,
    used: errors.length,
    skipped: both.length - errors.length,
  };
}
