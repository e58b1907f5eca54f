// Energy over time as a chart: efficiency on the left axis, losses on the right. Pure.
import type { ChartData, Look } from '../../charts/model';
import type { EnergyOverTime } from '../../wire/analysis-energy';
import { t } from '../../words';

const HOUR_MS = 3_600_000;

/** The number of buckets, each of at least an hour. Registers are read every few minutes, so the loss of shorter buckets is mostly rounding error. */
export function bucketsFor({ from, to }: { readonly from: number; readonly to: number }, width: number): number {
  return Math.max(2, Math.min(Math.ceil(width / 4), Math.ceil((to - from) / HOUR_MS)));
}

export const ENERGY_LOOK: Partial<Look> = {
  kind: 'whole',
  styles: {
    efficiency: { label: t('analytics.efficiency'), colour: 0 },
    // Losses are columns, because a loss is a total of the whole bucket.
    loss: { label: t('analytics.losses'), colour: 4, axis: 'right', as: 'column', isFaint: true },
  },
};

/** Converts an answer to chart data. A bucket that the answer leaves out is a gap. */
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
    // The line is drawn after the columns, so that they do not cover it.
    columns: [column('loss', t('analytics.losses'), 'kWh'), column('efficiency', t('analytics.efficiency'), '%')],
  };
}

/** The range of the efficiency gauge: that of most networks, extended for a value outside. */
export function efficiencyScale(efficiency: number | null): { readonly from: number; readonly to: number } {
  const [least, most] = [80, 100];
  if (efficiency === null) return { from: least, to: most };
  return { from: Math.min(least, Math.floor(efficiency / 10) * 10), to: Math.max(most, Math.ceil(efficiency / 10) * 10) };
}
