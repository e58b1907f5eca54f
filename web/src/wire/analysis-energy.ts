// Energy, losses, efficiency, the DC supply and a transformer's readings as they are served: asked for here, and checked.
import * as v from 'valibot';
import { checked, type Asking } from './history';
import { BACKGROUND, get } from './rest';

/** Absent is null, also where a field is left out. */
export const Maybe = v.nullish(v.number(), null);
const Text = v.nullish(v.string(), null);
/** Words that say what is doubtful about figures, such as `partial`. */
export const Flags = v.nullish(v.array(v.string()), []);

/** How far a computed figure can be believed: the share of its span with good values in percent, and what else is to be known. */
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

/** What the currents and voltages of a station battery are in, and their rows. Charging is positive. */
export const DcProfile = v.tuple([
  v.array(v.object({ IUnit: v.string(), VolUnit: v.string() })),
  v.array(v.object({ ReportedDateTime: v.string(), Battery_VDC: Maybe, Battery_ADC: Maybe })),
]);
export type DcProfile = v.InferOutput<typeof DcProfile>;

/** How one reading stands: its own quality, source time and age limit, ms. */
const TransformerStanding = v.object({ quality: v.nullish(v.number(), 6), reportedDateTime: Text, ageLimitMs: Maybe });

/** Temperatures in °C, the oil level in words and percent, the voltage of the low side in V. */
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
  /** Each by itself, under its name; none where nothing measures it. */
  readings: v.nullish(v.record(v.string(), v.nullable(TransformerStanding)), {}),
});
export type TransformerReading = v.InferOutput<typeof TransformerReading>;

const TransformerLive = v.object({ dataStream: v.array(TransformerReading) });

/** The checked `result` of a GET. */
export async function asked<S extends v.GenericSchema>(
  schema: S,
  token: string,
  path: string,
  { signal, isBackground }: Asking = {},
): Promise<v.InferOutput<S>> {
  const { result } = await get<unknown>(token, path, isBackground ? BACKGROUND : {}, signal);
  return checked(schema, result);
}

/** A span as calls take it. */
export function spanQuery(
  { from, to }: { readonly from: number; readonly to: number },
  more: Readonly<Record<string, string>> = {},
): string {
  return new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...more }).toString();
}

/** `scope` is such as `division/4`. */
export const getEnergyOverTime = (token: string, scope: string, span: { from: number; to: number }, width: number, asking?: Asking) =>
  asked(EnergyOverTime, token, `analytics/getenergyovertime/${scope}?${spanQuery(span, { width: String(width) })}`, asking);

/** The last full quarter of an hour. */
export const getEfficiencyNow = (token: string, scope: string, asking?: Asking) =>
  asked(EfficiencyNow, token, `analytics/realtimeefficiency/${scope}`, asking);

export const getLosses = (token: string, scope: string, asking?: Asking) =>
  asked(Losses, token, `analytics/getaccumulatedlosses/${scope}`, asking);

export const getChanges = (token: string, scope: string, asking?: Asking) =>
  asked(Changes, token, `analytics/getefficiencychange/${scope}`, asking);

/** `months` 0 is a day. */
export const getDcProfile = (token: string, id: number, months: 0 | 1 | 6 | 12, asking?: Asking) =>
  asked(DcProfile, token, `report/dcprofile/${id}/${months}`, asking);

export const getTransformer = (token: string, asset: number, asking?: Asking) =>
  asked(TransformerLive, token, `assethealth/transformerlivedata/${asset}`, asking);
