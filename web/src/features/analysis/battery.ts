// The DC profile of a station battery: which months are asked for, and its rows as a chart with two axes. Pure but for the asking.
import type { ChartData, Look } from '../../charts/model';
import type { Range } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import { getDcProfile, type DcProfile } from '../../wire/analysis-energy';
import { t } from '../../words';

/** Specification 3, section 2.1: the current red, the voltage green, each with an axis of its own. */
export const DC_LOOK: Partial<Look> = {
  styles: { adc: { label: t('analytics.batteryAdc'), colour: 'R', axis: 'right' }, vdc: { label: t('analytics.batteryVdc'), colour: 5 } },
};

const DAY = 86_400_000;

/** What has to be asked for to see from `from` on; 0 is a day, and more than a year there is not. */
export function dcMonths({ from }: Pick<Range, 'from'>, now: number): 0 | 1 | 6 | 12 {
  const days = (now - from) / DAY;
  return days <= 1.05 ? 0 : days <= 31.1 ? 1 : days <= 184.1 ? 6 : 12;
}

/** A row this many times farther from the one before than usual stands after a gap. */
const GAP = 3;

export function dcChart([units, rows]: DcProfile): ChartData {
  const { IUnit = 'A', VolUnit = 'V' } = units[0] ?? {};
  const known = rows
    .map((row) => ({ at: Date.parse(row.ReportedDateTime), vdc: row.Battery_VDC, adc: row.Battery_ADC }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const distances = known.slice(1).map(({ at }, index) => at - (known[index]?.at ?? at));
  const usual = [...distances].sort((a, b) => a - b)[distances.length >> 1] ?? 0;
  const filled: typeof known = [];
  for (const row of known) {
    const last = filled.at(-1);
    if (last && usual > 0 && row.at - last.at > GAP * usual) filled.push({ at: last.at + usual, vdc: null, adc: null });
    filled.push(row);
  }
  const column = (code: 'vdc' | 'adc', name: string, unit: string) => ({
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
    times: filled.map(({ at }) => at),
    bucketMs: usual,
    columns: [column('vdc', t('analytics.batteryVdc'), VolUnit), column('adc', t('analytics.batteryAdc'), IUnit)],
  };
}

/** An answer is kept for as long, since every span within its months is shown from it. */
const KEPT_MS = 55_000;

export function dcSource(token: string, battery: number, now: () => number, ask: typeof getDcProfile = getDcProfile): Source {
  let held: { months: number; at: number; data: ChartData } | null = null;
  return {
    key: `${battery} dc`,
    load: async (range, _, signal, isBackground) => {
      const months = dcMonths(range, now());
      if (held?.months !== months || now() - held.at >= KEPT_MS)
        held = { months, at: now(), data: dcChart(await ask(token, battery, months, { signal, isBackground })) };
      return held.data;
    },
  };
}
