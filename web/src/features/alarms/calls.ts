// Requests that change alarms.
import type { AlarmRow } from '../../wire/monitoring';
import { postCommand } from '../../wire/rest';

/** Acknowledges the given state of alarms. An alarm that was raised again since then remains unacknowledged. */
export const acknowledge = (token: string, rows: readonly AlarmRow[]) => postCommand<{ acknowledged: readonly number[]; newer: readonly number[] }>(token, 'alarms/acknowledge', { ids: rows.map(({ id }) => id), offset: Math.max(...rows.map(({ offset }) => offset)) });
export const shelve = (token: string, id: number, minutes: number, reason: string) => postCommand(token, 'alarms/shelve', { id, minutes, reason });
export const unshelve = (token: string, id: number) => postCommand(token, 'alarms/unshelve', { id });
export const note = (token: string, id: number, owner: string, text: string) => postCommand(token, 'alarms/note', { id, owner, note: text });
