// Requests and checked answers: history, readings, phasors and permissible loads. A chart of an invalid answer would draw a wrong line.
import * as v from 'valibot';
import { Failure, get, type Asking } from './rest';
import { t } from '../words';

const Maybe = v.nullable(v.number());
const Values = v.array(Maybe);

/** Measured quantities of an asset's history. */
export type Measure =
  | 'current'
  | 'voltage'
  | 'voltage_ll'
  | 'frequency'
  | 'active'
  | 'reactive'
  | 'apparent'
  | 'power_factor'
  | 'energy'
  | 'register'
  | 'accumulated'
  | 'reactive_energy'
  | 'temperature'
  | 'dc'
  | 'thd_v'
  | 'thd_i'
  | 'unbalance'
  | 'flicker'
  | 'angle';

const HistorySeries = v.object({
  code: v.string(),
  name: v.string(),
  phase: v.nullable(v.picklist(['R', 'Y', 'B'])),
  unit: v.string(),
  decimals: v.number(),
  mean: Values,
  min: Values,
  max: Values,
  quality: Values,
});

/** Values over time. `times` are epoch ms, equally spaced except for raw values and for buckets of days, whose length varies. Null is a gap. */
export const History = v.pipe(
  v.object({
    assetId: v.number(),
    assetName: v.string(),
    measure: v.string(),
    timeZone: v.string(),
    bucketMs: Maybe,
    source: v.picklist(['raw', '1m', '10m', '1h', '1d']),
    times: v.array(v.number()),
    series: v.array(HistorySeries),
  }),
  v.check(({ times, series }) =>
    series.every(
      ({ mean, min, max, quality }) =>
        mean.length === times.length && [min, max, quality].every((values) => values.length === 0 || values.length === times.length),
    ),
  ),
);
export type History = v.InferOutput<typeof History>;

/** An answer about a period, with the time since which its history is kept (epoch ms); null if all of the period is kept. */
export type OfPeriod<T> = T & { readonly keptSince?: number | null };

/** A row of the live readings. Times are ISO 8601. */
export const Reading = v.object({
  parameter: v.string(),
  unit: v.string(),
  decimals: v.number(),
  r: Maybe,
  y: Maybe,
  b: Maybe,
  total: Maybe,
  dayMin: Maybe,
  dayMax: Maybe,
  quality: v.number(),
  reportedDateTime: v.nullable(v.string()),
  ageLimitMs: Maybe,
});
export type Reading = v.InferOutput<typeof Reading>;

/**
 * Currents and voltages as phasors: angles in degrees, counter-clockwise from the voltage of phase R. The letters a, b and c are phases
 * R, Y and B.
 */
export const Phasors = v.object({
  iaph: Maybe,
  iarms: Maybe,
  ibph: Maybe,
  ibrms: Maybe,
  icph: Maybe,
  icrms: Maybe,
  vaph: Maybe,
  varms: Maybe,
  vbph: Maybe,
  vbrms: Maybe,
  vcph: Maybe,
  vcrms: Maybe,
  sequence: v.nullable(v.string()),
  vufPercent: Maybe,
  reportedDateTime: v.nullable(v.string()),
  quality: v.number(),
  ageLimitMs: Maybe,
});
export type Phasors = v.InferOutput<typeof Phasors>;

/** Temperatures in °C, powers in `unit`, life in years. */
export const Loading = v.object({
  ReportedDateTime: v.string(),
  OTI: Maybe,
  WTI: Maybe,
  AmbT: Maybe,
  LoadMult: Maybe,
  VApres: Maybe,
  VA2hr: Maybe,
  VAbase: Maybe,
  VAavl: Maybe,
  unit: v.string(),
  UsedLifeInYears: Maybe,
});
export type Loading = v.InferOutput<typeof Loading>;

/** Returns the checked answer. An answer that does not match the schema is a failure. */
export function checked<S extends v.GenericSchema>(schema: S, answer: unknown): v.InferOutput<S> {
  const read = v.safeParse(schema, answer);
  if (!read.success) throw new Failure(0, t('wire.somethingWentWrong'));
  return read.output;
}

export type { Asking };

async function ask<S extends v.GenericSchema>(
  schema: S,
  token: string,
  path: string,
  asking: Asking,
): Promise<v.InferOutput<S>> {
  const { result } = await get<unknown>(token, path, asking);
  return checked(schema, result);
}

export async function getHistory(
  token: string,
  asset: number,
  measure: Measure,
  span: { from: number; to: number },
  width: number,
  asking: Asking = {},
): Promise<OfPeriod<History>> {
  const query = new URLSearchParams({
    measure,
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    width: String(width),
  });
  const { result, keptSince } = await get<unknown>(token, `history/asset/${asset}?${query}`, asking);
  return { ...checked(History, result), keptSince };
}

export const getPhasors = (token: string, asset: number, asking: Asking = {}) =>
  ask(Phasors, token, `report/phasordiagram/${asset}`, asking);

/** `months` 0 means the whole history. */
export const getLoadings = (token: string, asset: number, months: 0 | 1 | 6 | 12, asking: Asking = {}) =>
  ask(v.array(Loading), token, `assethealth/assetpermissibleloadnew/${asset}/${months}`, asking);
