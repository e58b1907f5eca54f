// Requests and checked answers: the quality check of an asset's points, and the curves of a feeder.
import * as v from 'valibot';
import { getOfPeriod, Flags, Maybe, spanQuery } from './analysis-energy';
import type { Asking } from './history';

export const STRETCHES = ['gap', 'flat', 'outlier', 'quality', 'clock', 'limit'] as const;

/** A time span in which a series has a fault, such as a gap. */
const Stretch = v.object({ kind: v.picklist(STRETCHES), fromMs: v.number(), toMs: v.number(), note: v.nullish(v.string(), '') });
export type Stretch = v.InferOutput<typeof Stretch>;

const Count = v.nullish(v.number(), null);

/** The quality check of one point. Completeness and score are in percent; the other figures are counts. */
export const CheckRow = v.object({
  pointId: v.number(),
  code: v.string(),
  name: v.string(),
  unit: v.string(),
  expectedMs: Maybe,
  completeness: Maybe,
  values: Count,
  gaps: Count,
  longestGapMs: Maybe,
  flatLines: Count,
  outliers: Count,
  badQuality: Count,
  clockErrors: Count,
  late: Count,
  outOfLimits: Count,
  score: Maybe,
  stretches: v.array(Stretch),
  /** Number of stretches that the answer leaves out. */
  cut: v.nullish(v.number(), 0),
});
export type CheckRow = v.InferOutput<typeof CheckRow>;

export const QualityCheck = v.object({
  from: v.string(),
  to: v.string(),
  rows: v.array(CheckRow),
  coverage: Maybe,
  flags: Flags,
});
export type QualityCheck = v.InferOutput<typeof QualityCheck>;

const Percent = v.object({ percentOfTime: v.number(), demand: Maybe });
const Voltages = v.object({ percentOfTime: v.number(), vr: Maybe, vy: Maybe, vb: Maybe });
const Hour = v.object({ hour: v.number(), min: Maybe, mean: Maybe, max: Maybe });
const Setting = v.object({ element: v.string(), pickupA: Maybe, curve: v.nullish(v.string(), null), tms: Maybe, timeS: Maybe });
const Protection = v.object({ element: v.string(), points: v.array(v.tuple([v.number(), v.number()])) });
const FaultPoint = v.object({
  id: v.number(),
  amps: Maybe,
  /** Seconds from the relay's operation to the breaker's opening. The relay's own time is not included. */
  breakerOpeningS: Maybe,
  type: v.string(),
  time: v.string(),
  element: v.nullish(v.string(), null),
  /** The relay's operating time according to its settings, in seconds. */
  expectedS: Maybe,
});
export type FaultPoint = v.InferOutput<typeof FaultPoint>;
export type RelaySetting = v.InferOutput<typeof Setting>;

const Load = v.object({ timeMs: v.number(), demand: Maybe, min: Maybe, max: Maybe });

/** Demand is in `unit`, the voltage of each phase to earth in `voltageUnit`. */
export const FeederCurves = v.object({
  bucketMs: Maybe,
  load: v.array(Load),
  duration: v.array(Percent),
  voltage: v.array(Voltages),
  byHour: v.array(Hour),
  /** Why the hourly profile is missing: `no_data`, `not_kept` or `too_long`. */
  byHourMissing: v.nullish(v.string(), null),
  protection: v.object({ settings: v.array(Setting), curves: v.array(Protection) }),
  faults: v.array(FaultPoint),
  /** Whether the answer leaves out faults because there were too many. */
  cut: v.nullish(v.boolean(), false),
  unit: v.string(),
  voltageUnit: v.nullish(v.string(), 'kV'),
  coverage: Maybe,
  flags: Flags,
});
export type FeederCurves = v.InferOutput<typeof FeederCurves>;

type Span = { readonly from: number; readonly to: number };

export const getQualityCheck = (token: string, asset: number, span: Span, asking?: Asking) =>
  getOfPeriod(QualityCheck, token, `analytics/qualitycheck/${asset}?${spanQuery(span)}`, asking);

export const getFeederCurves = (token: string, asset: number, span: Span, asking?: Asking) =>
  getOfPeriod(FeederCurves, token, `analytics/feedercurves/${asset}?${spanQuery(span)}`, asking);
