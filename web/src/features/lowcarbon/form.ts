// The form of the optimiser: what its fields are called, what they take while people type, and what is sent of them (specification 3,
// section 5). Pure.
import { SLOTS, typedSlot } from '../../ui/halfhours';
import { FIELDS, type Field, type Parameters, type RunBody } from '../../wire/lowcarbon';
import { t } from '../../words';

/** What stands in the fields. */
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

/** Half hours of a day, which the specification calls hours. */
export const WINDOWS = [
  ['ChargingStartTimeHours', 'ChargingEndTimeHours'],
  ['DischargingStartTimeHours', 'DischargingEndTimeHours'],
] as const satisfies readonly (readonly [Field, Field])[];

export function isTime(field: Field): boolean {
  return WINDOWS.some(([start, end]) => field === start || field === end);
}

/** The site's own. */
export function draftOf(parameters: Parameters): Draft {
  return Object.fromEntries(FIELDS.map((field) => [field, String(parameters[field])])) as Draft;
}

/** What a field holds after something was typed into it: time fields ignore what is no half hour, the others take any text. */
export function typed(field: Field, before: string, text: string): string {
  return isTime(field) ? typedSlot(before, text) : text;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export type Faults = Readonly<Partial<Record<Field, string>>>;

/** What is sent of fields: numbers; what is empty is left out, so that it is the site's own. */
export function readDraft(draft: Readonly<Partial<Record<Field, string>>>): { readonly body: RunBody } | { readonly faults: Faults } {
  const body: Partial<Record<Field, number | string>> = {};
  const faults: Partial<Record<Field, string>> = {};
  for (const field of FIELDS) {
    const text = (draft[field] ?? '').trim();
    if (text === '') continue;
    if (field === 'Objective') body.Objective = text;
    // Not parseFloat alone, which reads 12 out of "12,5" and out of "12 kW".
    else if (NUMBER.test(text) && Number.isFinite(parseFloat(text))) body[field] = parseFloat(text);
    else faults[field] = t('lowcarbon.notANumber');
    if (isTime(field) && Number(text) > SLOTS) faults[field] = t('ui.notAHalfHour', { most: SLOTS });
  }
  return Object.keys(faults).length > 0 ? { faults } : { body };
}

/** The fields that a sentence of the server is about; it names them as the specification does. */
export function fieldsIn(sentence: string): readonly Field[] {
  return FIELDS.filter((field) => new RegExp(`(^|[;:,(] ?)${field}(: |\\b)`).test(sentence));
}

/** Whether two bodies ask for the same run: what is left out is the site's own. */
export function isSameRun(one: RunBody, other: RunBody, own: Parameters): boolean {
  const [first, second] = [{ ...own, ...one }, { ...own, ...other }];
  return first.day === second.day && FIELDS.every((field) => first[field] === second[field]);
}

const MEBI = 1024 * 1024;

/** Why a file cannot be one of a site's demand, before it is sent; empty when it may be. */
export function fileProblem({ name, size, type }: Pick<File, 'name' | 'size' | 'type'>, most: number): string {
  const isText = /\.(csv|txt)$/i.test(name) || type === 'text/csv';
  if (!isText) return t('lowcarbon.notCsv', { name });
  if (size === 0) return t('lowcarbon.emptyFile', { name });
  if (size > most) return t('lowcarbon.tooLarge', { name, size: (size / MEBI).toFixed(1), most: most / MEBI });
  return '';
}
