// Dates and local times as text in the format of the screens, DD MMM YYYY HH:mm, and back. Pure. Values are ISO 8601 without a zone, as in
// the fields of a browser: 2026-11-27 and 2026-11-27T08:05.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;
/** 27 Nov 2026, 27-nov-26, 27/11/2026, 27.11.2026; the day is first. */
const WRITTEN = /^(\d{1,2})[\s./-]+(\d{1,2}|[a-z]{3,9})[\s./-]+(\d{2}|\d{4})(?:[\s,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

const two = (value: number) => String(value).padStart(2, '0');

/** The text of a value; empty for a value that is none. */
export function written(value: string): string {
  const [, year = '', month = '', day = '', hour, minute = '', second] = ISO.exec(value) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (!name) return '';
  const time = hour === undefined ? '' : ` ${two(Number(hour))}:${minute}${second === undefined || second === '00' ? '' : `:${second}`}`;
  return `${two(Number(day))} ${name} ${year}${time}`;
}

function monthOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  return MONTHS.findIndex((name) => text.startsWith(name.toLowerCase())) + 1;
}

/** The value of a text; null if it is no date of the calendar. With `hasTime` a date without a time is midnight. */
export function parsed(text: string, hasTime: boolean): string | null {
  const typed = text.trim().toLowerCase();
  const iso = ISO.exec(typed.toUpperCase());
  const own = WRITTEN.exec(typed);
  const [years, months, days, hours, minutes, seconds] = iso ? iso.slice(1) : own ? [own[3], own[2], own[1], own[4], own[5], own[6]] : [];
  if (years === undefined || months === undefined || days === undefined) return null;
  if (!hasTime && hours !== undefined) return null;
  const year = Number(years) + (years.length === 2 ? 2_000 : 0);
  const [month, day] = [monthOf(months), Number(days)];
  const [hour, minute, second] = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (month < 1 || month > 12 || date.getUTCDate() !== day || date.getUTCMonth() !== month - 1 || hour > 23 || minute > 59 || second > 59) return null;
  const value = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return hasTime ? `${value}T${two(hour)}:${two(minute)}${second > 0 ? `:${two(second)}` : ''}` : value;
}
