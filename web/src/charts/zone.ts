// The wall clock of a zone: what it shows at an instant, and the instant at which it shows something. Pure, over Intl.

const MINUTE = 60_000;
const HALF_DAY = 12 * 60 * MINUTE;
const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string): Intl.DateTimeFormat {
  let found = formats.get(zone);
  if (!found) {
    found = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, found);
  }
  return found;
}

/** What the wall clock shows, as if it were UTC: epoch ms. The getters `getUTC…` of a Date of it read the clock. */
export function wallOf(ms: number, zone: string): number {
  const whole = Math.floor(ms / 1_000) * 1_000;
  const part: Record<string, number> = {};
  for (const { type, value } of format(zone).formatToParts(whole)) part[type] = Number(value);
  return Date.UTC(part.year ?? 1970, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second) + (ms - whole);
}

/** How far the wall clock is ahead of UTC, ms. */
function ahead(ms: number, zone: string): number {
  return wallOf(ms, zone) - ms;
}

/** The first instant at which the wall clock shows this; where it jumps over it, the instant as long after the jump. */
export function instantOf(wall: number, zone: string): number {
  const [before, after] = [ahead(wall - HALF_DAY, zone), ahead(wall + HALF_DAY, zone)];
  for (const offset of [before, after]) {
    if (wallOf(wall - offset, zone) === wall) return wall - offset;
  }
  return wall - before;
}
