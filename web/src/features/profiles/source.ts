// Charts of an asset's history: what is asked of the server and how its answer is drawn.
import type { ChartData, Column, Look } from '../../charts/model';
import type { Source } from '../../charts/useSeries';
import { getHistory, type History, type Measure } from '../../wire/history';

/** What every profile needs to know. */
export interface ProfileProps {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
  readonly assetName: string;
}

/** Which of a measure's lines are drawn, and what a bucket's value is. */
export interface Wanted {
  /** By code; otherwise the phases, and what is of no phase only where there are none: sums would flatten them. */
  readonly codes?: readonly string[] | undefined;
  readonly kind?: Look['kind'] | undefined;
}

/** An answer as a chart takes it. Single values have no envelope, even if the answer repeats them as one, and neither have sums and registers. */
export function chartOf({ times, bucketMs, source, series }: History, { codes, kind = 'mean' }: Wanted = {}): ChartData {
  const isRaw = source === 'raw';
  const isBare = isRaw || kind !== 'mean';
  const hasPhases = series.some(({ phase }) => phase !== null);
  const columns = series
    .filter(({ code, phase }) => (codes ? codes.includes(code) : phase !== null || !hasPhases))
    .map(({ min, max, ...rest }): Column => ({ ...rest, min: isBare ? [] : min, max: isBare ? [] : max }));
  return { times, bucketMs: isRaw ? 0 : (bucketMs ?? 0), columns };
}

/** One measure of an asset. */
export function historySource({ token, assetId }: Pick<ProfileProps, 'token' | 'assetId'>, measure: Measure, wanted: Wanted = {}): Source {
  return {
    key: `${assetId} ${measure}`,
    load: async (range, width, signal, isBackground) => chartOf(await getHistory(token, assetId, measure, range, width, { signal, isBackground }), wanted),
  };
}
