// Formats of measured values by the unit of their column: fixed decimals for each quantity. Pure.
import { number } from '../../ui/format';

const BY_UNIT: Readonly<Record<string, number>> = { A: 0, kV: 2, MW: 2, MVAr: 2, MVA: 2, pf: 3, Hz: 2, MWh: 1, MVArh: 1, '°C': 1, V: 1, '%': 1, '°': 1 };
const BY_NAME: Readonly<Record<string, number>> = { batteryVdc: 1, batteryAdc: 1, tapPosition: 0, oti: 1, wti: 1, oilLevel: 0, Tap: 0, Ops: 0, Dips: 0, Swells: 0, Vuf: 2, Pst: 2, Plt: 2 };

/** The decimals of a column by its name, or by the unit in brackets at the end of its heading. Default: 2. */
export function decimalsOf(name: string, heading: string): number {
  if (name.startsWith('Thd')) return 2;
  return BY_NAME[name] ?? BY_UNIT[/\(([^()]+)\)$/.exec(heading)?.[1] ?? ''] ?? 2;
}

export function measured(value: string | number | null, name: string, heading: string): string {
  return typeof value === 'string' ? value : number(value, decimalsOf(name, heading));
}
