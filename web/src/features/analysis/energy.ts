// Energy over time as a chart takes it: efficiency on the left axis, losses on the right, interval by interval. Pure.
import type { ChartData, Look } from '../../charts/model';
import type { EnergyOverTime } from '../../wire/analysis-energy';
import { t } from '../../words';

const HOUR_MS = 3_600_000;

/** Buckets of an hour and more: registers are read every few minutes, and what a quarter lost is mostly what they round. */
export function bucketsFor({ from, to }: { readonly from: number; readonly to: number }, width: number): number {
  return Math.max(2, Math.min(Math.ceil(width / 4), Math.ceil((to - from) / HOUR_MS)));
}

export const ENERGY_LOOK: Partial<Look> = {
  kind: 'whole',
  styles: {
    efficiency: { label: t('analytics.efficiency'), colour: 0 },
    // Columns, since a loss is what was lost in the whole interval.
    loss: { label: t('analytics.losses'), colour: 4, axis: 'right', as: 'column', isFaint: true },
  },
};

/** A bucket that is not there is a gap, also where the answer leaves it out. */
export function energyChart({ rows, bucketMs }: EnergyOverTime): ChartData {
  const sorted = [...rows].sort((a, b) => a.timeMs - b.timeMs);
  const filled: ((typeof rows)[number] | { readonly timeMs: number; readonly efficiency: null; readonly loss: null })[] = [];
  for (const row of sorted) {
    const last = filled.at(-1);
    if (last && bucketMs > 0 && row.timeMs - last.timeMs > 1.5 * bucketMs)
      filled.push({ timeMs: last.timeMs + bucketMs, efficiency: null, loss: null });
    filled.push(row);
  }
  const column = (code: 'efficiency' | 'loss', name: string, unit: string) => ({
    code,
    name,
    phase: null,
    unit,
    decimals: 2,
    mean: filled.map((row) => row[code]),
    min: [],
    max: [],
    quality: [],
  });
  return {
    times: filled.map(({ timeMs }) => timeMs),
    bucketMs,
    // The line is drawn after the columns, so that they do not hide it.
    columns: [column('loss', t('analytics.losses'), 'kWh'), column('efficiency', t('analytics.efficiency'), '%')],
  };
}

/** How far the bar of an efficiency reaches: most networks are within it, and what is beyond widens it. */
export function efficiencyScale(efficiency: number | null): { readonly from: number; readonly to: number } {
  const [least, most] = [80, 100];
  if (efficiency === null) return { from: least, to: most };
  return { from: Math.min(least, Math.floor(efficiency / 10) * 10), to: Math.max(most, Math.ceil(efficiency / 10) * 10) };
}
