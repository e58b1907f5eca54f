// The span of time that a column of charts shows: presets, zooming, moving. Pure.
import { instantOf, wallOf } from './zone';

/** Epoch ms; `to` is after `from`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Specification 2, sections 2.7 and 2.8. */
export const PRESETS = ['1d', '1w', '1m', '6m', '1y', 'ytd', 'all'] as const;
export type Preset = (typeof PRESETS)[number];

const DAY = 86_400_000;
/** Nothing is shown of less than this. */
export const SHORTEST_MS = 60_000;
/** Nor of more. */
const LONGEST_MS = 20 * 366 * DAY;

/**
 * The preset's span up to `now`. Months and years are those of the calendar; `all` begins with what there is, or five years ago while
 * that is not known.
 */
export function presetRange(preset: Preset, now: number, zone: string, earliest: number | null = null): Range {
  const wall = new Date(wallOf(now, zone));
  const monthsBack = (months: number) => {
    const day = wall.getUTCDate();
    const first = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() - months, 1));
    const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
    return instantOf(first.getTime() + (Math.min(day, last) - 1) * DAY + (wall.getTime() % DAY), zone);
  };
  const from = {
    '1d': () => instantOf(wall.getTime() - DAY, zone),
    '1w': () => instantOf(wall.getTime() - 7 * DAY, zone),
    '1m': () => monthsBack(1),
    '6m': () => monthsBack(6),
    '1y': () => monthsBack(12),
    ytd: () => instantOf(Date.UTC(wall.getUTCFullYear(), 0, 1), zone),
    all: () => earliest ?? monthsBack(60),
  }[preset]();
  return { from: Math.min(from, now - SHORTEST_MS), to: now };
}

/** Nearer with a factor below 1; what is at `at` stays where it is. Never shows what is after `now` alone. */
export function zoomed({ from, to }: Range, factor: number, at: number, now: number): Range {
  const span = Math.min(Math.max((to - from) * factor, SHORTEST_MS), LONGEST_MS);
  const share = (at - from) / (to - from);
  return kept({ from: at - span * share, to: at + span * (1 - share) }, now);
}

/** The same span, `share` of it later; a negative share is earlier. */
export function moved({ from, to }: Range, share: number, now: number): Range {
  const by = (to - from) * share;
  return kept({ from: from + by, to: to + by }, now);
}

/** Whole milliseconds, at least the shortest span, and not beyond `now`. */
export function kept({ from, to }: Range, now: number): Range {
  const span = Math.round(Math.max(to - from, SHORTEST_MS));
  const end = Math.round(Math.min(to, Math.max(now, SHORTEST_MS)));
  return { from: end - span, to: end };
}
