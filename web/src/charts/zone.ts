// Conversion between instants and the local time of a zone. Pure, uses `Intl`.

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

/** The local time at an instant, as epoch ms that represent it as if it were UTC. Read it with the `getUTC…` methods of `Date`. */
export function wallOf(ms: number, zone: string): number {
  const whole = Math.floor(ms / 1_000) * 1_000;
  const part: Record<string, number> = {};
  for (const { type, value } of format(zone).formatToParts(whole)) part[type] = Number(value);
  return Date.UTC(part.year ?? 1970, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second) + (ms - whole);
}

/** How far local time is ahead of UTC, ms. */
function ahead(ms: number, zone: string): number {
  return wallOf(ms, zone) - ms;
}

/** The first instant with this local time. For a time that a clock change skips, the instant as long after the change. */
export function instantOf(wall: number, zone: string): number {
  const [before, after] = [ahead(wall - HALF_DAY, zone), ahead(wall + HALF_DAY, zone)];
  for (const offset of [before, after]) {
    if (wallOf(wall - offset, zone) === wall) return wall - offset;
  }
  return wall - before;
}
