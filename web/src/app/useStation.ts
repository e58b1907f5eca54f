// The data of a substation's screen: the drawing, all points, and their values from the stream.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLink, useLive } from '../live/live';
import { poll } from '../live/poll';
import { Scene } from '../live/scene';
import { get, problemOf, type DiRow, type GenericRow } from '../wire/rest';
import { networkStates, type PointValue } from '../wire/live';
import { readDrawing, type Drawing } from '../wire/sld';

export interface StationData {
  drawing: Drawing | null;
  /** Why there is no drawing; the texts are the specification's. */
  message: string;
  /** Null until the points are loaded. */
  rows: readonly GenericRow[] | null;
  /** The positions of switches, with their permitted operations. */
  inputs: readonly DiRow[];
  scene: Scene;
  /** Whether a complete snapshot of the values has arrived. */
  ready: boolean;
  /** Why the points of the substation could not be loaded. The request is repeated. */
  problem: string;
}

/** First and longest delay, ms, after which a drawing is fetched again if it does not match the wiring of the node states. Until then they are unknown. */
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 30_000;

/** Delay before a failed request for the points is repeated, ms. */
const DESCRIBE_AGAIN_MS = 5_000;

/** SLD values are polled at this interval while the socket is down, unless the utility has another one (specification 2, section 9). */
const POLL_S = 10;

/** `feeder`: the id of a feeder of the substation, whose diagram is loaded instead. */
export function useStation(token: string, location: number, pollSeconds: number = POLL_S, feeder: string | null = null): StationData {
  const { connection, points } = useLive();
  const link = useLink();
  const scene = useMemo(() => new Scene(), []);
  const [data, setData] = useState<Omit<StationData, 'scene'>>({ drawing: null, message: 'Loading...', rows: null, inputs: [], ready: false, problem: '' });

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
      // A user without permission to operate is refused this stream. The diagram then lacks only the command rings.
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token needs no new subscription
  }, [connection, points, scene, location]);

  // Loads the drawing, and again when the node states belong to another wiring.
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let gone = false;
    const change = (part: Partial<Omit<StationData, 'scene'>>) => !gone && setData((held) => ({ ...held, ...part }));
    get<{ sldFileContents: string }>(token, feeder === null ? `sld/substationsldfile/${location}` : `network/feeders/${encodeURIComponent(feeder)}/diagram`)
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token does not change the drawing
  }, [location, feeder, attempt]);
  // The diagram of a feeder takes its states from the nodes of the network.
  useEffect(() => {
    if (feeder === null) return;
    let snapshots = 0;
    const stop = connection.subscribe(`network/${location}`, {
      snapshot: ({ rows }) => {
        scene.takeNetwork(networkStates(rows), true);
        // A further snapshot can belong to another version of the network, with another diagram.
        snapshots += 1;
        if (snapshots > 1) setAttempt((before) => before + 1);
      },
      delta: ({ rows }) => scene.takeNetwork(networkStates(rows), false),
      refused: () => scene.takeNetwork([], true),
    });
    return () => {
      stop();
      scene.takeNetwork([], true);
    };
  }, [connection, scene, location, feeder]);

  // The stream has node states of the diagram of the substation, not of a feeder's.
  const wiring = feeder === null ? (data.drawing?.wiring ?? null) : null;
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
    const ask = (signal: AbortSignal) =>
      get<{ gdsData: GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`, { signal, isBackground: true })
        // An answer that arrives after the link is back is older than the stream's snapshot.
        .then(({ result }) => signal.aborted || connection.link().up || points.applyPolled(result.gdsData.map((row): PointValue => [row.pointId, row.value ?? null, row.quality, row.sourceTime ? Date.parse(row.sourceTime) : 0])))
        .catch(() => undefined);
    return poll(ask, pollSeconds * 1_000);
  }, [link.up, token, location, points, connection, pollSeconds]);

  return { ...data, scene };
}
