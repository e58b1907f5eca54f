// Faults by day, place and type, as they are served: asked for here, and checked.
import * as v from 'valibot';
import { asked, Flags, Maybe, spanQuery } from './analysis-energy';
import type { Asking } from './history';

const FaultRow = v.object({
  /** YYYY-MM-DD of the utility's clock. */
  Dt: v.string(),
  /** DD/MM. */
  dt: v.string(),
  FaultType: v.string(),
  assetId: v.number(),
  assetName: v.string(),
  locationId: Maybe,
  locationName: v.nullish(v.string(), null),
  NoOfTimes: v.number(),
  /** Minutes of those that are over; null while all of them last. */
  Duration: Maybe,
  /** How many of them last. */
  open: v.nullish(v.number(), 0),
});
export type FaultTrendRow = v.InferOutput<typeof FaultRow>;

export const FaultTrends = v.object({
  rows: v.array(FaultRow),
  /** How many of all of them last. */
  open: v.nullish(v.number(), 0),
  /** Whether there were too many, so that the oldest are missing. */
  cut: v.nullish(v.boolean(), false),
  /** Faults that ended before this are not kept; null for ever. */
  keptFrom: v.nullish(v.string(), null),
  from: v.nullish(v.string(), null),
  to: v.nullish(v.string(), null),
  timeZone: v.nullish(v.string(), null),
  flags: Flags,
});
export type FaultTrends = v.InferOutput<typeof FaultTrends>;

/** `scope` is such as `division/4`. */
export const getFaultTrends = (token: string, scope: string, span: { from: number; to: number }, asking?: Asking) =>
  asked(FaultTrends, token, `analytics/faulttypesovertime/${scope}?${spanQuery(span)}`, asking);
