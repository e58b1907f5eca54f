// The names, groups, units and decimals of measured values, from the codes of their points. Pure.
import { t } from '../words';

/** The group of a column in the choice of columns. */
export type Group = 'current' | 'fault' | 'voltage' | 'power' | 'quality' | 'meter' | 'other';

export interface Quantity {
  readonly name: string;
  readonly group: Group;
  /** Whether a table shows it before the user has chosen columns. */
  readonly isUsual: boolean;
}

export const GROUP_NAMES: Readonly<Record<Group, string>> = {
  current: t('tables.groupCurrent'),
  fault: t('tables.groupFault'),
  voltage: t('tables.groupVoltage'),
  power: t('tables.groupPower'),
  quality: t('tables.groupQuality'),
  meter: t('tables.groupMeter'),
  other: t('tables.groupOther'),
};

const PHASES = ['r', 'y', 'b'] as const;
const LINES = [
  ['ry', 'R-Y'],
  ['yb', 'Y-B'],
  ['br', 'B-R'],
] as const;

const of = (name: string, group: Group, isUsual = false): Quantity => ({ name, group, isUsual });

/** A quantity for each phase: `Ir`, `Iy`, `Ib`. */
function phased(prefix: string, name: string, group: Group, isUsual = false): (readonly [string, Quantity])[] {
  return PHASES.map((phase) => [`${prefix}${phase}`, of(t('tables.ofPhase', { name, phase: phase.toUpperCase() }), group, isUsual)]);
}

/** By code (docs/reference/mqtt.md, Codes). */
const QUANTITIES: ReadonlyMap<string, Quantity> = new Map([
  ...phased('I', t('tables.current'), 'current', true),
  ['I', of(t('tables.current'), 'current')],
  ['In', of(t('tables.currentOfNeutral'), 'current')],
  ...phased('FI', t('tables.faultCurrent'), 'fault'),
  ...phased('V', t('tables.voltage'), 'voltage'),
  ...LINES.map(([code, lines]): [string, Quantity] => [`V${code}`, of(t('tables.ofPhase', { name: t('tables.voltage'), phase: lines }), 'voltage', code === 'ry')]),
  ['V', of(t('tables.voltageOfBus'), 'voltage', true)],
  ...phased('P', t('tables.activePower'), 'power'),
  ['P', of(t('tables.activePower'), 'power', true)],
  ...phased('Q', t('tables.reactivePower'), 'power'),
  ['Q', of(t('tables.reactivePower'), 'power', true)],
  ...phased('S', t('tables.apparentPower'), 'power'),
  ['S', of(t('tables.apparentPower'), 'power')],
  ['Pf', of(t('tables.powerFactor'), 'power', true)],
  ['Hz', of(t('tables.frequency'), 'power', true)],
  ...phased('ThdV', t('tables.thdVoltage'), 'quality', true),
  ...phased('ThdI', t('tables.thdCurrent'), 'quality'),
  ['Vuf', of(t('tables.unbalance'), 'quality', true)],
  ['Pst', of(t('tables.flickerShort'), 'quality', true)],
  ['Plt', of(t('tables.flickerLong'), 'quality')],
  ['Dips', of(t('tables.dips'), 'quality', true)],
  ['Swells', of(t('tables.swells'), 'quality', true)],
  ['EImp', of(t('tables.importRegister'), 'meter')],
  ['EExp', of(t('tables.exportRegister'), 'meter')],
  ...['R', 'Y', 'B'].map((phase): [string, Quantity] => [`EImp${phase}`, of(t('tables.ofPhase', { name: t('tables.importRegister'), phase }), 'meter')]),
  ['RImp', of(t('tables.reactiveImportRegister'), 'meter')],
  ['RExp', of(t('tables.reactiveExportRegister'), 'meter')],
  ['OTI', of(t('tables.oilTemperature'), 'other', true)],
  ['WTI', of(t('tables.windingTemperature'), 'other', true)],
  ['AmbT', of(t('tables.ambientTemperature'), 'other', true)],
  ['BatV', of(t('tables.batteryVoltage'), 'other', true)],
  ['BatA', of(t('tables.batteryCurrent'), 'other', true)],
  ['DcuV', of(t('tables.supplyVoltage'), 'other', true)],
  ['Tap', of(t('tables.tapPosition'), 'other', true)],
  ['Ops', of(t('tables.operations'), 'other', true)],
]);

/** The quantity of a code; undefined for a code of the utility's own. A column of another unit has it behind its code: `P (kW)#18`. */
export function quantityOf(code: string): Quantity | undefined {
  return QUANTITIES.get(code.split(' ')[0] ?? code);
}

/** A unit for low voltage, with the factor to it and its decimals. */
const LOW: Readonly<Record<string, readonly [unit: string, factor: number, decimals: number]>> = {
  kV: ['V', 1_000, 0],
  MW: ['kW', 1_000, 1],
  MVAr: ['kVAr', 1_000, 1],
  MVA: ['kVA', 1_000, 1],
};

/** Below this, equipment is low voltage, kV (IEC 60038). */
export const LOW_KV = 1;

/** The unit in which a value of low-voltage equipment is shown; null if it keeps its own. */
export function lowUnit(unit: string): { readonly unit: string; readonly factor: number; readonly decimals: number } | null {
  const found = LOW[unit];
  return found ? { unit: found[0], factor: found[1], decimals: found[2] } : null;
}

/** A value with its unit and decimals: kW and V for equipment below 1 kV. */
export function inUnit(value: number | null | undefined, unit: string, decimals: number, isLow: boolean): { readonly value: number | null; readonly unit: string; readonly decimals: number } {
  const low = isLow ? lowUnit(unit) : null;
  return low ? { value: value == null ? null : value * low.factor, unit: low.unit, decimals: low.decimals } : { value: value ?? null, unit, decimals };
}
