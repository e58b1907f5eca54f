// Requests and checked answers: demand, its peaks and its forecasts.
import * as v from 'valibot';
import { asked, getOfPeriod, Flags, Maybe, spanQuery } from './analysis-energy';
import type { Asking } from './history';

const Text = v.nullish(v.string(), null);
const about = { unit: v.string(), blockMinutes: Maybe, coverage: Maybe, flags: Flags, missing: Flags };

export const DemandOverTime = v.object({
  ...about,
  timeZone: Text,
  /** Whether each row is a day with its lowest and highest block. */
  byDay: v.optional(v.boolean(), false),
  rows: v.array(v.object({ timeMs: v.number(), demand: Maybe, lowest: Maybe, highest: Maybe, coverage: Maybe })),
});
export type DemandOverTime = v.InferOutput<typeof DemandOverTime>;

/** A peak: the largest mean of a block. Its time is the start of the block. */
const PeakRow = v.object({
  id: v.number(),
  name: v.string(),
  /** Name of the asset that was measured. */
  readingFrom: Text,
  timeInterval: v.string(),
  peakDemand: Maybe,
  reportedDateTime: Text,
  blockMinutes: Maybe,
  coverage: Maybe,
  flags: Flags,
});
export type PeakRow = v.InferOutput<typeof PeakRow>;

export const Peaks = v.object({ ...about, rows: v.array(PeakRow) });
export type Peaks = v.InferOutput<typeof Peaks>;

const ForecastRow = v.object({
  timeMs: v.number(),
  actual: Maybe,
  forecast: Maybe,
  q10: Maybe,
  q90: Maybe,
  naive: Maybe,
  /** Error of this row, percent. Null if it is not defined, for example near zero load. */
  mape: Maybe,
  type: v.nullish(v.string(), 'actual'),
});
export type ForecastRow = v.InferOutput<typeof ForecastRow>;

export const ForecastVsActual = v.object({
  unit: v.string(),
  mape: Maybe,
  wape: Maybe,
  used: Maybe,
  skipped: Maybe,
  skill: Maybe,
  mapeNaive: Maybe,
  method: Text,
  issuedAt: Text,
  coverage: Maybe,
  rows: v.array(ForecastRow),
  flags: Flags,
});
export type ForecastVsActual = v.InferOutput<typeof ForecastVsActual>;

/** `scope` is a level and an id, such as `division/4`. */
export const getDemand = (token: string, scope: string, span: { from: number; to: number }, asking?: Asking) =>
  getOfPeriod(DemandOverTime, token, `analytics/getdemandovertimegraph/${scope}?${spanQuery(span)}`, asking);

export const getPeakProfile = (token: string, scope: string, period: 'day' | 'month' | 'year', asking?: Asking) =>
  getOfPeriod(Peaks, token, `analytics/peakdemandprofiledatabyid/${scope}?period=${period}`, asking);

export const getPeakTable = (token: string, scope: string, asking?: Asking) =>
  getOfPeriod(Peaks, token, `analytics/getpeakdemandtable/${scope}`, asking);

export const getForecastVsActual = (token: string, asset: number, days: number, asking?: Asking) =>
  asked(ForecastVsActual, token, `analytics/peakdemandforecastvsactual/asset/${asset}/${days}`, asking);
