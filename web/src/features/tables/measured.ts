// Formats of measured values by the unit of their column: fixed decimals for each quantity, and units of low voltage. Pure.
import { number } from '../../ui/format';
import { inUnit, LOW_KV } from '../../ui/quantities';
import { t } from '../../words';

const BY_UNIT: Readonly<Record<string, number>> = { A: 0, kV: 2, MW: 2, MVAr: 2, MVA: 2, pf: 3, Hz: 2, MWh: 1, MVArh: 1, '°C': 1, V: 1, '%': 1, '°': 1 };
const BY_NAME: Readonly<Record<string, number>> = { batteryVdc: 1, batteryAdc: 1, tapPosition: 0, oti: 1, wti: 1, oilLevel: 0, Tap: 0, Ops: 0, Dips: 0, Swells: 0, Vuf: 2, Pst: 2, Plt: 2, deviceId: 0 };

/** The unit in brackets at the end of a heading; empty without one. */
export function unitOf(heading: string): string {
  return /\(([^()]+)\)$/.exec(heading)?.[1] ?? '';
}

/** The decimals of a column by its name, or by the unit in brackets at the end of its heading. Default: 2. */
export function decimalsOf(name: string, heading: string): number {
  if (name.startsWith('Thd')) return 2;
  return BY_NAME[name] ?? BY_UNIT[unitOf(heading)] ?? 2;
}

const VOLTAGES = ['Vr', 'Vy', 'Vb', 'Vry', 'Vyb', 'Vbr', 'V'] as const;

/** Whether a row measures voltages of less than 1 kV only, and is not dead. */
export function isLowVoltage(row: Readonly<Record<string, unknown>>): boolean {
  const volts = VOLTAGES.map((name) => row[name]).filter((value) => typeof value === 'number');
  const highest = Math.max(...volts);
  return volts.length > 0 && highest < LOW_KV && highest > DEAD_KV;
}

/** A line with a lower voltage is dead, kV. Its measured voltage then does not show its voltage level. */
const DEAD_KV = 0.05;

/** The text of a cell. If its unit differs from the unit of the column, the text contains the unit. */
export function measured(value: string | number | null, name: string, heading: string, isLow = false): string {
  if (typeof value === 'string') return value;
  const unit = unitOf(heading);
  const shown = inUnit(value, unit, decimalsOf(name, heading), isLow);
  const text = number(shown.value, shown.decimals);
  return shown.unit === unit || shown.value === null ? text : t('tables.valueWithUnit', { value: text, unit: shown.unit });
}
