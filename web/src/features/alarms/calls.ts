// What can be done with alarms.
import { post } from '../../wire/rest';

export const acknowledge = (token: string, ids: readonly number[]) => post(token, 'alarms/acknowledge', { ids });
export const shelve = (token: string, id: number, minutes: number, reason: string) => post(token, 'alarms/shelve', { id, minutes, reason });
export const unshelve = (token: string, id: number) => post(token, 'alarms/unshelve', { id });
export const note = (token: string, id: number, owner: string, text: string) => post(token, 'alarms/note', { id, owner, note: text });
