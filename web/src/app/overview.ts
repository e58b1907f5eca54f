// What the whole utility's header shows: gateways that are heard, and the newest event.
import { useEffect, useState } from 'react';
import { useLive } from '../live/live';
import { get, type EventRow, type GatewayRow, type Login } from '../wire/rest';

export function useGateways(client: number): readonly GatewayRow[] {
  const { connection } = useLive();
  const [rows, setRows] = useState<readonly GatewayRow[]>([]);
  useEffect(
    () =>
      connection.subscribe(`comms/client/${client}`, {
        snapshot: ({ rows }) => setRows((rows ?? []) as GatewayRow[]),
        delta: ({ rows }) => {
          const changed = new Map(((rows ?? []) as GatewayRow[]).map((row) => [row.id, row]));
          setRows((held) => [...held.map((row) => changed.get(row.id) ?? row), ...[...changed.values()].filter((row) => !held.some(({ id }) => id === row.id))]);
        },
        refused: () => setRows([]),
      }),
    [connection, client],
  );
  return rows;
}

/** The newest event of what the person may see: of their own node, or of each circle of the utility. */
export function useLatestEvent(login: Login): EventRow | null {
  const { connection } = useLive();
  const [event, setEvent] = useState<EventRow | null>(null);
  useEffect(() => {
    const leave: (() => void)[] = [];
    let gone = false;
    const offer = (rows: readonly unknown[] | undefined) => {
      for (const row of (rows ?? []) as EventRow[]) setEvent((held) => (held && held.EventTime >= row.EventTime ? held : row));
    };
    const listen = (stream: string) => leave.push(connection.subscribe(stream, { snapshot: ({ rows }) => offer(rows), delta: ({ rows }) => offer(rows), refused: () => undefined }));
    if (login.circleId != null) {
      // The narrowest level that the person has.
      const [level, id] = (
        [
          ['location', login.substationId],
          ['section', login.sectionId],
          ['subdivision', login.subDivisionId],
          ['town', login.townId],
          ['division', login.divisionId],
          ['circle', login.circleId],
        ] as const
      ).find(([, id]) => id != null) ?? ['circle', login.circleId];
      listen(`events/${level}/${id}`);
    } else {
      get<{ circleId: number }[]>(login.token, `circle/circlesbyclient/${login.clientId}`)
        .then(({ result }) => {
          if (!gone) for (const { circleId } of result) listen(`events/circle/${circleId}`);
        })
        .catch(() => undefined);
    }
    return () => {
      gone = true;
      for (const stop of leave) stop();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed login is the same person
  }, [connection, login.id]);
  return event;
}
