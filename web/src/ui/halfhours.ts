// The 48 half hours of a day on the screen: input rule, clock times, windows, and rows of 48 numbers. Pure.
import { t } from '../words';

export const SLOTS = 48;

/** The half hours of a day, starting with 0. */
export const ALL_SLOTS: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

/** Restricts the input of a time field to an empty text or a whole number from 0 without leading zeros (specification 3, section 5). */
export function typedSlot(before: string, typed: string): string {
  return /^(0|[1-9]\d*)?$/.test(typed) ? typed : before;
}

/** The start of a half hour: 26 is 13:00, 48 is the end of the day. */
export function clockOf(slot: number): string {
  return `${String(Math.floor(slot / 2)).padStart(2, '0')}:${slot % 2 === 0 ? '00' : '30'}`;
}

/** A half hour as text, such as 13:00 to 13:30. */
export function halfHour(slot: number): string {
  return t('ui.fromTo', { from: clockOf(slot), to: clockOf(slot + 1) });
}

/** The clock time of a time field; null if the field is not a half hour of a day. */
export function clockOfText(text: string): string | null {
  return text !== '' && Number(text) <= SLOTS ? clockOf(Number(text)) : null;
}

/** The window from `start` to before `end` as clock times. If `end` is smaller, the window passes midnight. */
export function windowWords(start: number, end: number): string {
  if (start > SLOTS || end > SLOTS) return t('ui.notAHalfHour', { most: SLOTS });
  if (start === end || (start === SLOTS && end === 0)) return t('ui.noHalfHour');
  const said = { from: clockOf(start), to: clockOf(end) };
  return end < start ? t('ui.overMidnight', said) : t('ui.fromTo', said);
}

/** Parses 48 numbers, separated by spaces, lines or semicolons. `values` is null if the text is empty. */
export function readRow(text: string): { readonly values: readonly number[] | null } | { readonly count: number; readonly wrong: string | null } {
  const parts = text.split(/[\s;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { values: null };
  const wrong = parts.find((part) => !Number.isFinite(Number(part)));
  if (wrong !== undefined || parts.length !== SLOTS) return { count: parts.length, wrong: wrong ?? null };
  return { values: parts.map(Number) };
}
