// What a substation's screen needs: the drawing, all its points, and their values from the stream.
import { useEffect, useState } from 'react';
import { useLink, useLive } from '../live/live';
import { get, type GenericRow } from '../wire/rest';
import type { PointValue } from '../wire/live';
import { readDrawing, type Drawing } from '../wire/sld';

export interface StationData {
  drawing: Drawing | null;
  /** Why there is no drawing, in the specification's words. */
  message: string;
  rows: readonly GenericRow[];
  /** Whether a full snapshot of the values is here. */
  ready: boolean;
}

/** SLD values are polled at this interval while the socket is down (specification 2, section 9). */
const POLL_MS = 10_000;

export function useStation(token: string, location: number): StationData {
  const { connection, points } = useLive();
  const link = useLink();
  const [data, setData] = useState<StationData>({ drawing: null, message: 'Loading...', rows: [], ready: false });

  useEffect(() => {
    let gone = false;
    const change = (part: Partial<StationData>) => !gone && setData((held) => ({ ...held, ...part }));
    get<{ sldFileContents: string }>(token, `sld/substationsldfile/${location}`)
      .then(({ result, message }) => {
        if (!result.sldFileContents) return change({ message: message || 'SLD is not available' });
        const drawing = readDrawing(result.sldFileContents);
        if (!drawing) return change({ message: 'Please check SLD response' });
        return change(drawing.elements.length === 0 ? { message: 'No Data is returned for specified SLD' } : { drawing });
      })
      .catch((error: Error) => change({ message: error.message }));
    get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`)
      .then(({ result }) => change({ rows: result.gdsData }))
      .catch(() => undefined);
    const stop = connection.subscribe(`sld/${location}`, {
      snapshot: ({ points: values }) => {
        points.apply(values ?? [], true);
        change({ ready: true });
      },
      delta: ({ changes }) => points.apply(changes ?? []),
      refused: () => change({ message: 'SLD is not available' }),
    });
    return () => {
      gone = true;
      stop();
      points.clear();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token opens nothing anew
  }, [connection, points, location]);

  useEffect(() => {
    if (link.up) return;
    const timer = setInterval(() => {
      get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`)
        .then(({ result }) => points.apply(result.gdsData.map((row): PointValue => [row.pointId, row.value ?? null, row.quality, row.sourceTime ? Date.parse(row.sourceTime) : 0])))
        .catch(() => undefined);
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [link.up, token, location, points]);

  return data;
}
