// What a transformer was loaded with and what it could have been, over time: its rows as a chart, and which months are asked for.
import type { ChartData, Column, Look, Style } from '../../charts/model';
import type { Range } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import { getLoadings, type Asking, type Loading } from '../../wire/history';

/** Specification 2, section 2.8: the series in this order. */
const SERIES = ['OTI', 'WTI', 'VApres', 'VA2hr', 'VAavl', 'VAbase'] as const;

const STYLES: Readonly<Record<(typeof SERIES)[number], Style>> = {
  OTI: { colour: 3 },
  WTI: { colour: 1 },
  VApres: { colour: 0, axis: 'right' },
  VA2hr: { colour: 2, axis: 'right', dash: [8, 4] },
  VAavl: { colour: 5, axis: 'right' },
  VAbase: { colour: 4, axis: 'right', dash: [2, 4] },
};

export const LOOK: Partial<Look> = { styles: STYLES };

/** A row this many times farther from the one before than usual stands after a gap. */
const GAP = 3;

/** Temperatures in °C and powers in the rows' unit; a row stands for the time up to the next, and where rows are missing there is a gap. */
export function loadingChart(rows: readonly Loading[]): ChartData {
  const known = rows
    .map((row) => ({ row, at: Date.parse(row.ReportedDateTime) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const distances = known.slice(1).map(({ at }, index) => at - (known[index]?.at ?? at));
  const usual = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0;
  const placed: { at: number; row: Loading | null }[] = [];
  for (const { row, at } of known) {
    const before = placed.at(-1);
    if (before && usual > 0 && at - before.at > GAP * usual) placed.push({ at: before.at + usual, row: null });
    placed.push({ at, row });
  }
  const unit = known.at(-1)?.row.unit ?? '';
  const columns = SERIES.map((code): Column => {
    const isTemperature = code === 'OTI' || code === 'WTI';
    return { code, name: code, phase: null, unit: isTemperature ? '°C' : unit, decimals: isTemperature ? 1 : 2, mean: placed.map(({ row }) => row?.[code] ?? null), min: [], max: [], quality: [] };
  });
  return { times: placed.map(({ at }) => at), bucketMs: usual, columns };
}

/** The life used by the newest row that says it, years. */
export function usedLife(rows: readonly Loading[]): number | null {
  return rows.reduce<Loading | null>((held, row) => (row.UsedLifeInYears !== null && (held === null || row.ReportedDateTime > held.ReportedDateTime) ? row : held), null)?.UsedLifeInYears ?? null;
}

const DAY = 86_400_000;

/** How many months have to be asked for to see from `from` on; 0 is everything. */
export function monthsFor({ from }: Pick<Range, 'from'>, now: number): 0 | 1 | 6 | 12 {
  const days = (now - from) / DAY;
  return days <= 31.1 ? 1 : days <= 184.1 ? 6 : days <= 366.1 ? 12 : 0;
}

/** An answer is kept for as long, since every span within its months is shown from it. */
const KEPT_MS = 55_000;

/** The rows of an asset; `told` hears of each new answer, and of how many months it is. */
export function loadingSource(token: string, asset: number, now: () => number, told: (rows: readonly Loading[], months: number) => void, load: typeof getLoadings = getLoadings): Source {
  let held: { months: number; at: number; data: ChartData } | null = null;
  return {
    key: `${asset} permissible`,
    load: async (range, _, signal, isBackground) => {
      const months = monthsFor(range, now());
      if (held?.months === months && now() - held.at < KEPT_MS) return held.data;
      const asking: Asking = { signal, isBackground };
      const rows = await load(token, asset, months, asking);
      held = { months, at: now(), data: loadingChart(rows) };
      told(rows, months);
      return held.data;
    },
  };
}
