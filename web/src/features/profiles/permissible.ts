// The load and the permissible loads of a transformer over time: rows as chart data, and the months to request.
import type { ChartData, Column, Look, Style } from '../../charts/model';
import type { Range } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import { instantOf, wallOf } from '../../charts/zone';
import { getLoadings, type Loading } from '../../wire/history';

/** The series in the order of specification 2, section 2.8. */
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

/** A row is preceded by a gap if its distance from the previous row is this many times the usual distance. */
const GAP = 3;

/** Possible lengths of buckets, ms. Between two hours and a day there is none, because temperatures follow a daily pattern. */
const TOGETHER = [3_600_000, 7_200_000, 86_400_000, 7 * 86_400_000];
/** Series with an envelope: winding temperature and present load. The envelopes of all six series would cover each other. */
const ENVELOPED: ReadonlySet<string> = new Set(['WTI', 'VApres']);
/** Smallest distance of buckets that can be distinguished, px. */
const APART = 2;

/** The length of buckets for which the span has room, ms; 0 if there is room for each row. */
export function bucketFor({ from, to }: Range, width: number, usual: number): number {
  const least = ((to - from) / Math.max(width, 1)) * APART;
  return usual >= least ? 0 : (TOGETHER.find((length) => length >= least && length > usual) ?? TOGETHER[3] ?? 0);
}

type Known = readonly { readonly at: number; readonly row: Loading }[];

/** The rows sorted by time, and their usual distance, ms. */
export function ordered(rows: readonly Loading[]): { known: Known; usual: number } {
  const known = rows
    .map((row) => ({ row, at: Date.parse(row.ReportedDateTime) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const distances = known.slice(1).map(({ at }, index) => at - (known[index]?.at ?? at));
  return { known, usual: distances.sort((a, b) => a - b)[distances.length >> 1] ?? 0 };
}

/**
 * Converts rows to chart data: temperatures in °C, powers in the unit of the rows. A row is valid until the next one; missing rows are a
 * gap. With `bucket`, the rows of each bucket in the zone are replaced by their mean, for some series with minimum and maximum.
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

/** The used life of the newest row that has it, years. */
export function usedLife(rows: readonly Loading[]): number | null {
  return (
    rows.reduce<Loading | null>(
      (held, row) => (row.UsedLifeInYears !== null && (held === null || row.ReportedDateTime > held.ReportedDateTime) ? row : held),
      null,
    )?.UsedLifeInYears ?? null
  );
}

const DAY = 86_400_000;

/** The number of months to request for data since `from`; 0 means the whole history. */
export function monthsFor({ from }: Pick<Range, 'from'>, now: number): 0 | 1 | 6 | 12 {
  const days = (now - from) / DAY;
  return days <= 31.1 ? 1 : days <= 184.1 ? 6 : days <= 366.1 ? 12 : 0;
}

/** How long an answer is reused, ms. It serves all spans within its months. */
const KEPT_MS = 55_000;

interface Asked {
  readonly token: string;
  readonly assetId: number;
  readonly zone: string;
  readonly now: () => number;
  /** Called with each new answer and its number of months. */
  readonly told: (rows: readonly Loading[], months: number) => void;
  readonly ask?: typeof getLoadings;
}

/** The permissible loads of an asset as the source of a chart. */
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
