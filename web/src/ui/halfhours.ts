// The 48 half hours of a day as people enter and read them: the rule of input, clock times, windows, and rows of 48 figures. Pure.
import { t } from '../words';

export const SLOTS = 48;

/** The half hours of a day, from 0 on. */
export const ALL_SLOTS: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

/** Time fields take nothing but this: empty, or whole, not below 0, without leading zeros (specification 3, section 5). */
export function typedSlot(before: string, typed: string): string {
  return /^(0|[1-9]\d*)?$/.test(typed) ? typed : before;
}

/** When a half hour begins: 26 is 13:00, 48 the end of the day. */
export function clockOf(slot: number): string {
  return `${String(Math.floor(slot / 2)).padStart(2, '0')}:${slot % 2 === 0 ? '00' : '30'}`;
}

/** A half hour in words: 13:00 to 13:30. */
export function halfHour(slot: number): string {
  return t('ui.fromTo', { from: clockOf(slot), to: clockOf(slot + 1) });
}

/** What a time field says, as a clock: none for what is no half hour of a day. */
export function clockOfText(text: string): string | null {
  return text !== '' && Number(text) <= SLOTS ? clockOf(Number(text)) : null;
}

/** Half hours from `start` on, before `end`, in words by the clock; where `end` is the smaller they go over midnight. */
export function windowWords(start: number, end: number): string {
  if (start > SLOTS || end > SLOTS) return t('ui.notAHalfHour', { most: SLOTS });
  if (start === end || (start === SLOTS && end === 0)) return t('ui.noHalfHour');
  const said = { from: clockOf(start), to: clockOf(end) };
  return end < start ? t('ui.overMidnight', said) : t('ui.fromTo', said);
}

/** A row of 48 figures out of a text, one a half hour, apart by spaces, lines or semicolons; null says that the text holds none. */
export function readRow(text: string): { readonly values: readonly number[] | null } | { readonly count: number; readonly wrong: string | null } {
  const parts = text.split(/[\s;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { values: null };
  const wrong = parts.find((part) => !Number.isFinite(Number(part)));
  if (wrong !== undefined || parts.length !== SLOTS) return { count: parts.length, wrong: wrong ?? null };
  return { values: parts.map(Number) };
}
