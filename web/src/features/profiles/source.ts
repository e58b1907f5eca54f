// Charts of an asset's history: what is asked of the server and how its answer is drawn.
import type { ChartData, Column } from '../../charts/model';
import type { Source } from '../../charts/useSeries';
import { getHistory, type History, type Measure } from '../../wire/history';

/** What every profile needs to know. */
export interface ProfileProps {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
  readonly assetName: string;
}

/** An answer as a chart takes it; of some codes only, if told so. A raw answer has no envelope, even if it repeats its values as one. */
export function chartOf({ times, bucketMs, source, series }: History, isWanted: (code: string) => boolean = () => true): ChartData {
  const isRaw = source === 'raw';
  const columns = series
    .filter(({ code }) => isWanted(code))
    .map(({ min, max, ...rest }): Column => ({ ...rest, min: isRaw ? [] : min, max: isRaw ? [] : max }));
  return { times, bucketMs: isRaw ? 0 : bucketMs, columns };
}

/** One measure of an asset; `isWanted` says which of its codes are drawn. */
export function historySource({ token, assetId }: Pick<ProfileProps, 'token' | 'assetId'>, measure: Measure, isWanted?: (code: string) => boolean): Source {
  return {
    key: `${assetId} ${measure}`,
    load: async (range, width, signal, isBackground) => chartOf(await getHistory(token, assetId, measure, range, width, { signal, isBackground }), isWanted),
  };
}
