// What a substation's screen needs: the drawing, all its points, and their values from the stream.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLink, useLive } from '../live/live';
import { Scene } from '../live/scene';
import { get, problemOf, type DiRow, type GenericRow } from '../wire/rest';
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
  /** Why what stands in the substation could not be had; it is asked for again. */
  problem: string;
}

/** A drawing that does not fit the states is fetched again after so long, and ever more; until they agree nothing of the circuit is known. */
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 30_000;

/** What stands in the substation is asked for again after so long, where it could not be had. */
const DESCRIBE_AGAIN_MS = 5_000;

/** SLD values are polled at this interval while the socket is down (specification 2, section 9). */
const POLL_MS = 10_000;

export function useStation(token: string, location: number): StationData {
  const { connection, points } = useLive();
  const link = useLink();
  const scene = useMemo(() => new Scene(), []);
  const [data, setData] = useState<Omit<StationData, 'scene'>>({ drawing: null, message: 'Loading...', rows: [], inputs: [], ready: false, problem: '' });

  useEffect(() => {
    let gone = false;
    const change = (part: Partial<Omit<StationData, 'scene'>>) => !gone && setData((held) => ({ ...held, ...part }));
    let again: ReturnType<typeof setTimeout> | undefined;
    const describe = () => {
      const rows = get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`).then(({ result }) => change({ rows: result.gdsData }));
      const inputs = get<{ diData: DiRow[] }>(token, `sld/slddivaluesbyastpt/${location}`).then(({ result }) => change({ inputs: result.diData }));
      Promise.all([rows, inputs]).then(
        () => change({ problem: '' }),
        (error: unknown) => {
          change({ problem: problemOf(error) });
          if (!gone) again = setTimeout(describe, DESCRIBE_AGAIN_MS);
        },
      );
    };
    describe();
    const stop = connection.subscribe(`sld/${location}`, {
      snapshot: (content) => {
        points.apply(content.points ?? []);
        scene.apply(content, true);
        change({ ready: true });
      },
      delta: (content) => {
        points.apply(content.changes ?? []);
        scene.apply(content, false);
      },
      refused: () => {
        points.clear();
        scene.clear();
        change({ drawing: null, ready: false, message: 'SLD is not available' });
      },
    });
    const stopCommands = connection.subscribe(`commands/${location}`, {
      snapshot: ({ rows }) => scene.take(rows ?? [], true),
      delta: ({ rows }) => scene.take(rows ?? [], false),
      // Who may not operate may still look; without this stream the diagram lacks only the rings.
      refused: () => undefined,
    });
    return () => {
      gone = true;
      clearTimeout(again);
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
  const patience = useRef(AGAIN_MS);
  useEffect(() => {
    if (wiring === null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const compare = () => {
      const fits = scene.wiring() === null || scene.wiring() === wiring;
      if (fits) {
        patience.current = AGAIN_MS;
        if (timer) clearTimeout(timer);
        timer = null;
      } else if (!timer) {
        timer = setTimeout(() => setAttempt((before) => before + 1), patience.current);
        patience.current = Math.min(patience.current * 2, AGAIN_MAX_MS);
      }
    };
    compare();
    const stop = scene.subscribe(compare);
    return () => {
      stop();
      if (timer) clearTimeout(timer);
    };
  }, [scene, wiring, attempt]);

  useEffect(() => {
    if (link.up) {
      points.resume();
      return;
    }
    let gone = false;
    const timer = setInterval(() => {
      get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`)
        // An answer that comes after the link does is older than the picture that came with it.
        .then(({ result }) => gone || connection.link().up || points.applyPolled(result.gdsData.map((row): PointValue => [row.pointId, row.value ?? null, row.quality, row.sourceTime ? Date.parse(row.sourceTime) : 0])))
        .catch(() => undefined);
    }, POLL_MS);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [link.up, token, location, points, connection]);

  return { ...data, scene };
}
