// The DC profile of a station battery: the months to request, and the rows as a chart with two axes. Pure except for the request.
import type { ChartData, Look } from '../../charts/model';
import type { Range } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import { getDcProfile, type DcProfile } from '../../wire/analysis-energy';
import { t } from '../../words';

/** Current in red and voltage in green, each with its own axis (specification 3, section 2.1). */
export const DC_LOOK: Partial<Look> = {
  styles: { adc: { label: t('analytics.batteryAdc'), colour: 'R', axis: 'right' }, vdc: { label: t('analytics.batteryVdc'), colour: 5 } },
};

const DAY = 86_400_000;

/** The months of a request for all data: ten years. */
const EVERYTHING = 120;

/** The number of months to request for data since `from`; 0 means a day. */
export function dcMonths({ from }: Pick<Range, 'from'>, now: number): 0 | 1 | 6 | 12 | 120 {
  const days = (now - from) / DAY;
  return days <= 1.05 ? 0 : days <= 31.1 ? 1 : days <= 184.1 ? 6 : days <= 366.1 ? 12 : EVERYTHING;
}

/** A row is preceded by a gap if its distance from the previous row is this many times the usual distance. */
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

/** How long an answer is reused, ms. It serves all spans within its months. */
const KEPT_MS = 55_000;

interface Options {
  /** Called with the time of the first value when an answer has all data. */
  readonly onFirst?: (at: number) => void;
  readonly ask?: typeof getDcProfile;
}

export function dcSource(token: string, battery: number, now: () => number, { onFirst, ask = getDcProfile }: Options = {}): Source {
  let held: { months: number; at: number; data: ChartData } | null = null;
  return {
    key: `${battery} dc`,
    load: async (range, _, signal, isBackground) => {
      const months = dcMonths(range, now());
      if (held?.months !== months || now() - held.at >= KEPT_MS) {
        held = { months, at: now(), data: dcChart(await ask(token, battery, months, { signal, isBackground, isHeavy: true })) };
        const first = held.data.times[0];
        if (months === EVERYTHING && first !== undefined) onFirst?.(first);
      }
      return held.data;
    },
  };
}
