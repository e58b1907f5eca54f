// What a substation's screen needs: the drawing, all its points, and their values from the stream.
import { useEffect, useMemo, useState } from 'react';
import { useLink, useLive } from '../live/live';
import { Scene } from '../live/scene';
import { get, type DiRow, type GenericRow } from '../wire/rest';
import type { PointValue } from '../wire/live';
import { readDrawing, type Drawing } from '../wire/sld';

export interface StationData {
  drawing: Drawing | null;
  /** Why there is no drawing, in the specification's words. */
  message: string;
  rows: readonly GenericRow[];
  /** The positions, with what may be done to them. */
  inputs: readonly DiRow[];
  scene: Scene;
  /** Whether a full snapshot of the values is here. */
  ready: boolean;
}

/** A drawing is fetched again this often at most when it does not fit the states; until they agree nothing of the circuit is known. */
const ATTEMPTS_MAX = 5;

/** SLD values are polled at this interval while the socket is down (specification 2, section 9). */
const POLL_MS = 10_000;

export function useStation(token: string, location: number): StationData {
  const { connection, points } = useLive();
  const link = useLink();
  const scene = useMemo(() => new Scene(), []);
  const [data, setData] = useState<Omit<StationData, 'scene'>>({ drawing: null, message: 'Loading...', rows: [], inputs: [], ready: false });

  useEffect(() => {
    let gone = false;
    const change = (part: Partial<Omit<StationData, 'scene'>>) => !gone && setData((held) => ({ ...held, ...part }));
    get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`)
      .then(({ result }) => change({ rows: result.gdsData }))
      .catch(() => undefined);
    get<{ diData: DiRow[] }>(token, `sld/slddivaluesbyastpt/${location}`)
      .then(({ result }) => change({ inputs: result.diData }))
      .catch(() => undefined);
    const stop = connection.subscribe(`sld/${location}`, {
      snapshot: (content) => {
        points.apply(content.points ?? [], true);
        scene.apply(content, true);
        change({ ready: true });
      },
      delta: (content) => {
        points.apply(content.changes ?? []);
        scene.apply(content, false);
      },
      refused: () => change({ message: 'SLD is not available' }),
    });
    const stopCommands = connection.subscribe(`commands/${location}`, {
      snapshot: ({ rows }) => scene.take(rows ?? [], true),
      delta: ({ rows }) => scene.take(rows ?? [], false),
      // Who may not operate may still look; without this stream the diagram lacks only the rings.
      refused: () => undefined,
    });
    return () => {
      gone = true;
      stop();
      stopCommands();
      scene.clear();
      points.clear();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token opens nothing anew
  }, [connection, points, scene, location]);

  // The drawing, and again when the circuit's states turn out to be those of another one.
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let gone = false;
    const change = (part: Partial<Omit<StationData, 'scene'>>) => !gone && setData((held) => ({ ...held, ...part }));
    get<{ sldFileContents: string }>(token, `sld/substationsldfile/${location}`)
      .then(({ result, message }) => {
        if (!result.sldFileContents) return change({ message: message || 'SLD is not available' });
        const drawing = readDrawing(result.sldFileContents);
        if (!drawing) return change({ message: 'Please check SLD response' });
        return change(drawing.elements.length === 0 ? { message: 'No Data is returned for specified SLD' } : { drawing });
      })
      .catch((error: Error) => change({ message: error.message }));
    return () => {
      gone = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token opens nothing anew
  }, [location, attempt]);
  const wiring = data.drawing?.wiring ?? null;
  useEffect(
    () =>
      scene.subscribe(() => {
        if (wiring !== null && scene.wiring() !== null && scene.wiring() !== wiring && attempt < ATTEMPTS_MAX) setAttempt(attempt + 1);
      }),
    [scene, wiring, attempt],
  );


  useEffect(() => {
    if (link.up) return;
    const timer = setInterval(() => {
      get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`)
        .then(({ result }) => points.apply(result.gdsData.map((row): PointValue => [row.pointId, row.value ?? null, row.quality, row.sourceTime ? Date.parse(row.sourceTime) : 0])))
        .catch(() => undefined);
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [link.up, token, location, points]);

  return { ...data, scene };
}
