// The time span of a column of charts: presets, zooming and moving. Pure.
import { instantOf, wallOf } from './zone';

/** A span in epoch ms; `to` is after `from`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The presets of specification 2, sections 2.7 and 2.8. */
export const PRESETS = ['1d', '1w', '1m', '6m', '1y', 'ytd', 'all'] as const;
export type Preset = (typeof PRESETS)[number];

const DAY = 86_400_000;
/** Shortest span, ms. */
export const SHORTEST_MS = 60_000;
/** Longest span, ms. */
const LONGEST_MS = 20 * 366 * DAY;

/**
 * Returns the preset's span up to `now`. Months and years are those of the calendar. `all` starts at `earliest`; while that is unknown,
 * five years ago.
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

/** Returns the span multiplied by `factor`; below 1 it is shorter. The time `at` keeps its position. The span ends at `now` at the latest. */
export function zoomed({ from, to }: Range, factor: number, at: number, now: number): Range {
  const span = Math.min(Math.max((to - from) * factor, SHORTEST_MS), LONGEST_MS);
  const share = (at - from) / (to - from);
  return kept({ from: at - span * share, to: at + span * (1 - share) }, now);
}

/** Returns a span of the same length, later by `share` of it. A negative share moves it to an earlier time. */
export function moved({ from, to }: Range, share: number, now: number): Range {
  const by = (to - from) * share;
  return kept({ from: from + by, to: to + by }, now);
}

/** Rounds a span to milliseconds, extends it to the shortest span, and moves its end to `now` at the latest. */
export function kept({ from, to }: Range, now: number): Range {
  const span = Math.round(Math.max(to - from, SHORTEST_MS));
  const end = Math.round(Math.min(to, Math.max(now, SHORTEST_MS)));
  return { from: end - span, to: end };
}
