// Requests and checked answers: faults by day, place and type.
import * as v from 'valibot';
import { getOfPeriod, Flags, Maybe, spanQuery } from './analysis-energy';
import type { Asking } from './history';

const FaultRow = v.object({
  /** Date in the utility's time zone, YYYY-MM-DD. */
  Dt: v.string(),
  /** DD/MM. */
  dt: v.string(),
  FaultType: v.string(),
  assetId: v.number(),
  assetName: v.string(),
  locationId: Maybe,
  locationName: v.nullish(v.string(), null),
  NoOfTimes: v.number(),
  /** Total duration of the ended faults, minutes; null if none has ended. */
  Duration: Maybe,
  /** Number of these faults that have not ended. */
  open: v.nullish(v.number(), 0),
});
export type FaultTrendRow = v.InferOutput<typeof FaultRow>;

export const FaultTrends = v.object({
  rows: v.array(FaultRow),
  /** Number of faults of all rows that have not ended. */
  open: v.nullish(v.number(), 0),
  /** Whether there were too many faults, so that the oldest are missing. */
  cut: v.nullish(v.boolean(), false),
  /** Faults that ended before this time have been deleted; null if none are deleted. */
  keptFrom: v.nullish(v.string(), null),
  from: v.nullish(v.string(), null),
  to: v.nullish(v.string(), null),
  timeZone: v.nullish(v.string(), null),
  flags: Flags,
});
export type FaultTrends = v.InferOutput<typeof FaultTrends>;

/** `scope` is a level and an id, such as `division/4`. */
export const getFaultTrends = (token: string, scope: string, span: { from: number; to: number }, asking?: Asking) =>
  getOfPeriod(FaultTrends, token, `analytics/faulttypesovertime/${scope}?${spanQuery(span)}`, asking);
