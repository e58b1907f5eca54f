// Formats of times and numbers: in the utility's time zone, 24 hours, fixed decimals.

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options });
    formats.set(key, found);
  }
  return found;
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
const DAY: Intl.DateTimeFormatOptions = { day: '2-digit', month: 'short', year: 'numeric' };

/** Formats as HH:mm:ss. */
export function clockTime(ms: number, zone: string): string {
  return format(zone, TIME).format(ms);
}

/** Formats as DD MMM YYYY HH:mm for the header's clock (specification 2, section 2.4). */
export function headerTime(ms: number, zone: string): string {
  return `${dayOf(ms, zone)} ${format(zone, { hour: '2-digit', minute: '2-digit' }).format(ms)}`;
}

/** Formats as DD MMM YYYY. */
export function dayOf(ms: number, zone: string): string {
  return format(zone, DAY).format(ms).replace('Sept', 'Sep');
}

/** Formats as HH:mm:ss, with the date if it differs from that of `now`, and with milliseconds if `millis`. */
export function eventTime(ms: number, now: number, zone: string, millis = false): string {
  return dayOf(ms, zone) === dayOf(now, zone) ? timeOfDay(ms, zone, millis) : datedTime(ms, zone, millis);
}

/** Formats as DD MMM YYYY HH:mm:ss, with milliseconds if `millis`. For times that are read later, such as in rows of a report. */
export function datedTime(ms: number, zone: string, millis = false): string {
  return `${dayOf(ms, zone)} ${timeOfDay(ms, zone, millis)}`;
}

function timeOfDay(ms: number, zone: string, millis: boolean): string {
  return clockTime(ms, zone) + (millis ? `.${String(((ms % 1000) + 1000) % 1000).padStart(3, '0')}` : '');
}

/** A number with its own decimals, at most three: as a user has entered it. */
export function ownDecimals(value: number): string {
  const decimals = [0, 1, 2].find((digits) => Math.abs(value - Number(value.toFixed(digits))) < 1e-9) ?? 3;
  return number(value, decimals);
}

/** Formats a number with fixed decimals and groups of three digits. An absent value is a dash, never 0. */
export function number(value: number | null | undefined, decimals: number): string {
  if (value == null) return '–';
  const [whole = '', part] = value.toFixed(decimals).replace('-', '−').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** Formats an age, such as 12 s, 4 min, 3 h, 2 d. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
