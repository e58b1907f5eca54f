// What a transformer was loaded with and what it could have been, over time: its rows as a chart, and which months are asked for.
import type { ChartData, Column, Look, Style } from '../../charts/model';
import type { Range } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import { instantOf, wallOf } from '../../charts/zone';
import { getLoadings, type Loading } from '../../wire/history';

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

/** How long rows may be drawn together, ms. Between hours and days there is nothing: a temperature's day is one shape. */
const TOGETHER = [3_600_000, 7_200_000, 86_400_000, 7 * 86_400_000];
/** Whose extremes are drawn: how hot it was, and how much it carried. Those of all six hide one another. */
const ENVELOPED: ReadonlySet<string> = new Set(['WTI', 'VApres']);
/** Buckets nearer than this, px, cannot be told apart. */
const APART = 2;

/** How long a bucket has to be, so that those of the span have room; 0 when each row has. */
export function bucketFor({ from, to }: Range, width: number, usual: number): number {
  const least = ((to - from) / Math.max(width, 1)) * APART;
  return usual >= least ? 0 : (TOGETHER.find((length) => length >= least && length > usual) ?? TOGETHER[3] ?? 0);
}

type Known = readonly { readonly at: number; readonly row: Loading }[];

/** The rows by time, and how far apart they usually are, ms. */
export function ordered(rows: readonly Loading[]): { known: Known; usual: number } {
  const known = rows
    .map((row) => ({ row, at: Date.parse(row.ReportedDateTime) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const distances = known.slice(1).map(({ at }, index) => at - (known[index]?.at ?? at));
  return { known, usual: distances.sort((a, b) => a - b)[distances.length >> 1] ?? 0 };
}

/**
 * Temperatures in °C and powers in the rows' unit. A row stands for the time up to the next, and where rows are missing there is a gap.
 * With a bucket the rows of each, by the zone's clock, are drawn together by their mean, some between the lowest and the highest.
 */
export function loadingChart(rows: readonly Loading[], bucket = 0, zone = 'UTC'): ChartData {
  const { known, usual } = ordered(rows);
  const length = bucket || usual;
  const groups: { at: number; rows: Loading[] }[] = [];
  for (const { row, at } of known) {
    const start = bucket ? instantOf(Math.floor(wallOf(at, zone) / bucket) * bucket, zone) : at;
    const last = groups.at(-1);
    if (last?.at === start) last.rows.push(row);
    else {
      if (last && length > 0 && start - last.at > (bucket ? 1.5 : GAP) * length) groups.push({ at: last.at + length, rows: [] });
      groups.push({ at: start, rows: [row] });
    }
  }
  const unit = known.at(-1)?.row.unit ?? '';
  const columns = SERIES.map((code): Column => {
    const isTemperature = code === 'OTI' || code === 'WTI';
    const cells = groups.map(({ rows }) => rows.flatMap((row) => row[code] ?? []));
    const of = (make: (cell: number[]) => number) => cells.map((cell) => (cell.length > 0 ? make(cell) : null));
    return {
      code,
      name: code,
      phase: null,
      unit: isTemperature ? '°C' : unit,
      decimals: isTemperature ? 1 : 2,
      mean: of((cell) => cell.reduce((sum, value) => sum + value, 0) / cell.length),
      min: bucket && ENVELOPED.has(code) ? of((cell) => Math.min(...cell)) : [],
      max: bucket && ENVELOPED.has(code) ? of((cell) => Math.max(...cell)) : [],
      quality: [],
    };
  });
  return { times: groups.map(({ at }) => at), bucketMs: length, columns };
}

/** The life used by the newest row that says it, years. */
export function usedLife(rows: readonly Loading[]): number | null {
  return (
    rows.reduce<Loading | null>(
      (held, row) => (row.UsedLifeInYears !== null && (held === null || row.ReportedDateTime > held.ReportedDateTime) ? row : held),
      null,
    )?.UsedLifeInYears ?? null
  );
}

const DAY = 86_400_000;

/** How many months have to be asked for to see from `from` on; 0 is everything. */
export function monthsFor({ from }: Pick<Range, 'from'>, now: number): 0 | 1 | 6 | 12 {
  const days = (now - from) / DAY;
  return days <= 31.1 ? 1 : days <= 184.1 ? 6 : days <= 366.1 ? 12 : 0;
}

/** An answer is kept for as long, since every span within its months is shown from it. */
const KEPT_MS = 55_000;

interface Asked {
  readonly token: string;
  readonly assetId: number;
  readonly zone: string;
  readonly now: () => number;
  /** Hears of each new answer, and of how many months it is. */
  readonly told: (rows: readonly Loading[], months: number) => void;
  readonly ask?: typeof getLoadings;
}

/** The permissible loads of an asset. */
export function loadingSource({ token, assetId, zone, now, told, ask = getLoadings }: Asked): Source {
  let held: { months: number; at: number; rows: readonly Loading[]; usual: number } | null = null;
  return {
    key: `${assetId} permissible`,
    load: async (range, width, signal, isBackground) => {
      const months = monthsFor(range, now());
      if (held?.months !== months || now() - held.at >= KEPT_MS) {
        const rows = await ask(token, assetId, months, { signal, isBackground });
        held = { months, at: now(), rows, usual: ordered(rows).usual };
        told(rows, months);
      }
      return loadingChart(held.rows, bucketFor(range, width, held.usual), zone);
    },
  };
}
