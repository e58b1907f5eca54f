// Requests and checked answers: energy, losses, efficiency, the DC supply and the readings of a transformer.
import * as v from 'valibot';
import { checked, type Asking, type OfPeriod } from './history';
import { get } from './rest';

/** A number that can be missing. An absent field is null. */
export const Maybe = v.nullish(v.number(), null);
const Text = v.nullish(v.string(), null);
/** Codes of doubts about figures, such as `partial`. */
export const Flags = v.nullish(v.array(v.string()), []);

/** Coverage of a computed figure, the share of its period with good values in percent, and its flags. */
const doubt = { coverage: Maybe, flags: Flags };

/** Energies in kWh, efficiency in percent. */
const figures = { energyIn_KWh: Maybe, energyOut_KWh: Maybe, loss: Maybe, efficiency: Maybe };

export const EnergyOverTime = v.object({
  bucketMs: v.number(),
  timeZone: v.string(),
  missing: Flags,
  ...doubt,
  rows: v.array(v.object({ timeMs: v.number(), ...figures, ...doubt })),
});
export type EnergyOverTime = v.InferOutput<typeof EnergyOverTime>;

export const EfficiencyNow = v.object({ ...figures, from: Text, to: Text, missing: Flags, ...doubt, reportedDateTime: Text });
export type EfficiencyNow = v.InferOutput<typeof EfficiencyNow>;

const span = { interval: v.string(), from: Text, to: Text };

export const Losses = v.object({
  ...doubt,
  missing: Flags,
  rows: v.array(v.object({ ...span, accumulatedLosses_KWh: Maybe, energyIn_KWh: Maybe, energyOut_KWh: Maybe, ...doubt })),
});
export type Losses = v.InferOutput<typeof Losses>;
export type LossRow = Losses['rows'][number];

export const Changes = v.object({
  ...doubt,
  missing: Flags,
  rows: v.array(v.object({ ...span, efficiency: Maybe, changePercent: Maybe, ...doubt })),
});
export type Changes = v.InferOutput<typeof Changes>;
export type ChangeRow = Changes['rows'][number];

/** The DC supply: the units of current and voltage, then the rows. A charging current is positive. */
export const DcProfile = v.tuple([
  v.array(v.object({ IUnit: v.string(), VolUnit: v.string() })),
  v.array(v.object({ ReportedDateTime: v.string(), Battery_VDC: Maybe, Battery_ADC: Maybe })),
]);
export type DcProfile = v.InferOutput<typeof DcProfile>;

/** Quality, source time and age limit (ms) of one reading, and the limits with which alarms compare it. */
const TransformerStanding = v.object({
  quality: v.nullish(v.number(), 6),
  reportedDateTime: Text,
  ageLimitMs: Maybe,
  highLimit: Maybe,
  highHighLimit: Maybe,
});

/** Temperatures in °C, the oil level as text and in percent, the voltage of the low side in V. */
export const TransformerReading = v.object({
  WTI: Maybe,
  OTI: Maybe,
  AmbientTemp: Maybe,
  OilLevel: Text,
  oilLevelPercent: Maybe,
  TapPosition: Maybe,
  ExpectedVoltage: Text,
  ActualVoltage: Maybe,
  ReportedDateTime: Text,
  quality: v.nullish(v.number(), 6),
  ageLimitMs: Maybe,
  /** Quality of each reading by its field name; null if nothing measures it. */
  readings: v.nullish(v.record(v.string(), v.nullable(TransformerStanding)), {}),
});
export type TransformerReading = v.InferOutput<typeof TransformerReading>;

const TransformerLive = v.object({ dataStream: v.array(TransformerReading) });

/** Returns the checked `result` of a GET. */
export async function asked<S extends v.GenericSchema>(
  schema: S,
  token: string,
  path: string,
  asking: Asking = {},
): Promise<v.InferOutput<S>> {
  const { result } = await get<unknown>(token, path, asking);
  return checked(schema, result);
}

/** Returns the checked `result` of a GET that is an object about a period, with the time since which its history is kept. */
export async function getOfPeriod<S extends v.GenericSchema<unknown, object>>(
  schema: S,
  token: string,
  path: string,
  asking: Asking = {},
): Promise<OfPeriod<v.InferOutput<S>>> {
  const { result, keptSince } = await get<unknown>(token, path, asking);
  return { ...checked(schema, result), keptSince };
}

/** A time span as query parameters. */
export function spanQuery(
  { from, to }: { readonly from: number; readonly to: number },
  more: Readonly<Record<string, string>> = {},
): string {
  return new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...more }).toString();
}

/** `scope` is a level and an id, such as `division/4`. */
export const getEnergyOverTime = (token: string, scope: string, span: { from: number; to: number }, width: number, asking?: Asking) =>
  getOfPeriod(EnergyOverTime, token, `analytics/getenergyovertime/${scope}?${spanQuery(span, { width: String(width) })}`, asking);

/** Efficiency of the last complete quarter of an hour. */
export const getEfficiencyNow = (token: string, scope: string, asking?: Asking) =>
  asked(EfficiencyNow, token, `analytics/realtimeefficiency/${scope}`, asking);

export const getLosses = (token: string, scope: string, asking?: Asking) =>
  getOfPeriod(Losses, token, `analytics/getaccumulatedlosses/${scope}`, asking);

export const getChanges = (token: string, scope: string, asking?: Asking) =>
  asked(Changes, token, `analytics/getefficiencychange/${scope}`, asking);

/** `months` 0 means one day. */
export const getDcProfile = (token: string, id: number, months: 0 | 1 | 6 | 12 | 120, asking?: Asking) =>
  asked(DcProfile, token, `report/dcprofile/${id}/${months}`, asking);

export const getTransformer = (token: string, asset: number, asking?: Asking) =>
  asked(TransformerLive, token, `assethealth/transformerlivedata/${asset}`, asking);
