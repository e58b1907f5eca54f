// The areas of responsibility of the utility, for all screens. They are read again when the version in their stream changes.
import { createContext, useCallback, useContext, useMemo } from 'react';
import { outside } from '../features/areas/responsibility';
import { useAll, useFeed } from '../live/useFeed';
import { useAskRepeated } from '../ui/useAsk';
import { getAreas, type Areas } from '../wire/areas';
import type { Login, Schemas } from '../wire/rest';

export interface AreasOfUtility {
  /** Null until they are read. */
  readonly areas: Areas | null;
  readonly put: (areas: Areas) => void;
}

export const AreasContext = createContext<AreasOfUtility>({ areas: null, put: () => undefined });

export const useAreas = (): AreasOfUtility => useContext(AreasContext);

/** Returns why the own desk may not operate a device, or anything of a substation if `asset` is null; empty if it may. */
export function useOutside(): (location: number, asset: number | null) => string {
  const { areas } = useAreas();
  return useCallback((location, asset) => outside(areas, location, asset), [areas]);
}

export function useLoadAreas({ token, clientId }: Login): AreasOfUtility {
  const feed = useFeed<Schemas['AreaVersionRow']>({ stream: `areas/client/${clientId}`, token, key: (row) => row.clientId });
  const version = useAll(feed)[0]?.version ?? 0;
  const { data, put } = useAskRepeated(`areas-${clientId}`, (asking) => getAreas(token, asking), null, version);
  return useMemo(() => ({ areas: data, put }), [data, put]);
}
