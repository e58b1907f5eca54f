// The feeders of the network: their list, and the addresses of their diagrams.
import { useAsk } from '../ui/useAsk';
import { get, type Schemas } from '../wire/rest';
import { FEEDER_PATH } from './screens';

export type Feeder = Schemas['NetworkFeeder'];

/** The feeders of a substation, or all that the user may see. */
export function useFeeders(token: string, location: number | null) {
  const query = location === null ? '' : `?location=${location}`;
  return useAsk(`feeders${query}`, (asking) => get<Feeder[]>(token, `network/feeders${query}`, asking));
}

/** The feeder that an asset belongs to: its breaker, or the feeder itself. */
export function feederOf(feeders: readonly Feeder[] | null, asset: number | null): Feeder | null {
  return feeders?.find(({ assetIds }) => asset !== null && assetIds.includes(asset)) ?? null;
}

/** The address of the diagram of a feeder. */
export function feederPath(id: string): string {
  return `${FEEDER_PATH}?id=${encodeURIComponent(id)}`;
}
