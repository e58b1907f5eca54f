// The form of the optimiser: names of its fields, rules while the user types, and the request (specification 3, section 5).
// Pure.
import { SLOTS, typedSlot } from '../../ui/halfhours';
import { FIELDS, type Field, type Parameters, type RunBody } from '../../wire/lowcarbon';
import { t } from '../../words';

/** The texts of the fields. */
export type Draft = Readonly<Record<Field, string>>;

export const NAMES: Readonly<Record<Field, string>> = {
  BatteryCapacityMaxKwh: t('lowcarbon.capacityMax'),
  BatteryCapacityMinKwh: t('lowcarbon.capacityMin'),
  BatteryChargeRateKw: t('lowcarbon.chargeRate'),
  BatteryDischargeRateKw: t('lowcarbon.dischargeRate'),
  ChargingStartTimeHours: t('lowcarbon.chargingStart'),
  ChargingEndTimeHours: t('lowcarbon.chargingEnd'),
  DischargingStartTimeHours: t('lowcarbon.dischargingStart'),
  DischargingEndTimeHours: t('lowcarbon.dischargingEnd'),
  SolarCapacityKwp: t('lowcarbon.solarCapacity'),
  lat: t('lowcarbon.latitude'),
  lon: t('lowcarbon.longitude'),
  Objective: t('lowcarbon.objective'),
  deviceId: t('lowcarbon.device'),
};

export const UNITS: Readonly<Partial<Record<Field, string>>> = {
  BatteryCapacityMaxKwh: 'kWh',
  BatteryCapacityMinKwh: 'kWh',
  BatteryChargeRateKw: 'kW',
  BatteryDischargeRateKw: 'kW',
  SolarCapacityKwp: 'kWp',
  lat: '°',
  lon: '°',
};

export const OBJECTIVES = [
  ['cost_with_solar', t('lowcarbon.withSolar')],
  ['cost_without_solar', t('lowcarbon.withoutSolar')],
] as const;

/** Windows in half hours of a day, which the specification calls hours. */
export const WINDOWS = [
  ['ChargingStartTimeHours', 'ChargingEndTimeHours'],
  ['DischargingStartTimeHours', 'DischargingEndTimeHours'],
] as const satisfies readonly (readonly [Field, Field])[];

export function isTime(field: Field): boolean {
  return WINDOWS.some(([start, end]) => field === start || field === end);
}

/** The form with the site's configured values. */
export function draftOf(parameters: Parameters): Draft {
  return Object.fromEntries(FIELDS.map((field) => [field, String(parameters[field])])) as Draft;
}

/** The content of a field after input. Time fields ignore input that is not a half hour; other fields take any text. */
export function typed(field: Field, before: string, text: string): string {
  return isTime(field) ? typedSlot(before, text) : text;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export type Faults = Readonly<Partial<Record<Field, string>>>;

/** Converts fields to a request with numbers, or returns the errors. Empty fields are left out, so that the site's values apply. */
export function readDraft(draft: Readonly<Partial<Record<Field, string>>>): { readonly body: RunBody } | { readonly faults: Faults } {
  const body: Partial<Record<Field, number | string>> = {};
  const faults: Partial<Record<Field, string>> = {};
  for (const field of FIELDS) {
    const text = (draft[field] ?? '').trim();
    if (text === '') continue;
    if (field === 'Objective') body.Objective = text;
    // `parseFloat` alone would read 12 from "12,5" and from "12 kW".
    else if (NUMBER.test(text) && Number.isFinite(parseFloat(text))) body[field] = parseFloat(text);
    else faults[field] = t('lowcarbon.notANumber');
    if (isTime(field) && Number(text) > SLOTS) faults[field] = t('ui.notAHalfHour', { most: SLOTS });
  }
  return Object.keys(faults).length > 0 ? { faults } : { body };
}

/** The fields that a message of the server names. It uses the specification's names. */
export function fieldsIn(sentence: string): readonly Field[] {
  return FIELDS.filter((field) => new RegExp(`(^|[;:,(] ?)${field}(: |\\b)`).test(sentence));
}

/** Whether two bodies describe the same run. A missing field has the site's value. */
export function isSameRun(one: RunBody, other: RunBody, own: Parameters): boolean {
  const [first, second] = [{ ...own, ...one }, { ...own, ...other }];
  return first.day === second.day && FIELDS.every((field) => first[field] === second[field]);
}

const MEBI = 1024 * 1024;

/** Why a file cannot be a demand file, before it is sent; empty if it may be. */
export function fileProblem({ name, size, type }: Pick<File, 'name' | 'size' | 'type'>, most: number): string {
  const isText = /\.(csv|txt)$/i.test(name) || type === 'text/csv';
  if (!isText) return t('lowcarbon.notCsv', { name });
  if (size === 0) return t('lowcarbon.emptyFile', { name });
  if (size > most) return t('lowcarbon.tooLarge', { name, size: (size / MEBI).toFixed(1), most: most / MEBI });
  return '';
}
