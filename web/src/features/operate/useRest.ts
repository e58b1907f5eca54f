// How long a breaker that was operated a moment ago still rests, so that its buttons are disabled with the seconds left.
import { useEffect, useState } from 'react';
import type { CommandRow } from '../../wire/control';
import type { DiRow } from '../../wire/rest';
import { fetchStatus } from './calls';

/** A command that ended longer ago does not delay the next one: the longest interval that the server allows, ms. */
const RECENT_MS = 3_600_000;

/** The seconds until the breaker may be operated again; 0 if it may, or if that is not known. `now` is the server's time, epoch ms. */
export function useRest(token: string, di: DiRow | null, command: CommandRow | undefined, position: number | null, now: number): number {
  const [rest, setRest] = useState<{ point: number; until: number } | null>(null);
  const point = di?.Asset2DiSettingId ?? null;
  const isRecent = command !== undefined && now - command.changedAt < RECENT_MS;
  const last = isRecent ? `${command.commandId} ${command.state}` : '';
  useEffect(() => {
    if (!di || point === null || last === '') return;
    let isOver = false;
    fetchStatus(token, di).then(
      ({ waitSeconds }) => !isOver && setRest(waitSeconds ? { point, until: Date.now() + waitSeconds * 1_000 } : null),
      // Without an answer the server decides when the order is sent.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- requested again after each state of a command and each change of the position
  }, [token, point, last, position]);
  return rest !== null && rest.point === point ? Math.max(0, Math.ceil((rest.until - Date.now()) / 1_000)) : 0;
}
