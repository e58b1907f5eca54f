// Value axes: start, end, marks, and the position of a value. Pure.
import { decimalsOf } from './aligned';
import { figure } from './model';

export interface Scale {
  readonly from: number;
  readonly to: number;
  /** In ascending order. A mark with an empty text is only a faint line. */
  readonly marks: readonly { readonly value: number; readonly words: string }[];
  /** Position on the axis from 0 (start) to 1 (end). Null for a value without a position, such as 0 on a logarithmic axis. */
  readonly share: (value: number) => number | null;
}

/** The smallest round number of at least `value`: 1, 2 or 5 times a power of ten. */
export function round(value: number, isWhole = false): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].map((times) => times * power).find((step) => step >= value * (1 - 1e-9)) ?? 10 * power;
  return isWhole ? Math.max(1, Math.ceil(step)) : step;
}

/** Rounds to 12 digits, which removes the rounding error of added steps. */
const exact = (value: number) => Number(value.toPrecision(12));

/**
 * Returns a linear axis in round steps, from 0 if `fromZero`. It has about `parts` steps, or exactly `parts` if it shares the grid lines of
 * another axis.
 */
export function linear(low: number, high: number, { parts = 5, exactly = false, fromZero = false, isWhole = false } = {}): Scale {
  const [least, most] = fromZero ? [Math.min(low, 0), Math.max(high, 0)] : [low, high];
  const spread = most > least ? most - least : Math.abs(most) || 1;
  let step = round(spread / parts, isWhole);
  const count = () => Math.ceil(exact(most / step) - 1e-9) - Math.floor(exact(least / step) + 1e-9);
  while (exactly && count() > parts) step = round(step * 1.01, isWhole);
  const first = Math.floor(exact(least / step) + 1e-9);
  const steps = exactly ? parts : Math.max(1, count());
  const marks = Array.from({ length: steps + 1 }, (_, index) => exact((first + index) * step));
  const decimals = decimalsOf(step);
  const [from, to] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  return {
    from,
    to,
    marks: marks.map((value) => ({ value, words: figure(value, decimals) })),
    share: (value) => (Number.isFinite(value) ? (value - from) / (to - from) : null),
  };
}

/** Returns an axis with the given ends, marked at every `step`. Default: about `parts` round steps. */
export function between(from: number, to: number, { parts = 5, step = round((to - from) / parts) } = {}): Scale {
  const end = to > from ? to : from + 1;
  const first = Math.ceil(exact(from / step) - 1e-9);
  const count = Math.min(Math.floor(exact(end / step) + 1e-9) - first + 1, MARKS);
  const decimals = decimalsOf(step);
  return {
    from,
    to: end,
    marks: Array.from({ length: Math.max(count, 0) }, (_, index) => exact((first + index) * step)).map((value) => ({
      value,
      words: figure(value, decimals),
    })),
    share: (value) => (Number.isFinite(value) ? (value - from) / (end - from) : null),
  };
}

/** Largest number of marks of an axis, for any step. */
const MARKS = 100;

/** Largest number of decades of an axis. A larger range cannot come from a measurement. */
const DECADES = 12;

/** Returns a logarithmic axis with texts at powers of ten, and at 2 and 5 if there are few decades. Values of 0 or less have no position. */
export function logarithmic(low: number, high: number): Scale {
  const isKnown = low > 0 && high > 0 && Number.isFinite(low) && Number.isFinite(high);
  const [least, most] = isKnown ? [low, Math.max(low, high)] : [1, 10];
  const last = Math.ceil(Math.log10(most) - 1e-9);
  const first = Math.max(Math.min(Math.floor(Math.log10(least) + 1e-9), last - 1), last - DECADES);
  // With at most two decades, the axis runs from the nearest 1, 2 or 5 below to the nearest one above.
  const isShort = last - first <= 2;
  const all = Array.from({ length: (last - first) * 9 + 1 }, (_, index) =>
    exact(((index % 9) + 1) * 10 ** (first + Math.floor(index / 9))),
  );
  const isRound = (value: number) => /^[125]/.test(value.toExponential());
  const rounds = all.filter(isRound);
  const from = isShort ? (rounds.findLast((value) => value <= least * (1 + 1e-9)) ?? 10 ** first) : 10 ** first;
  const end = isShort ? (rounds.find((value) => value >= most * (1 - 1e-9)) ?? 10 ** last) : 10 ** last;
  const to = end > from ? end : from * 10;
  const isSaid = (value: number) => (last - first <= 3 ? isRound(value) : value.toExponential().startsWith('1e'));
  return {
    from,
    to,
    marks: all.filter((value) => value >= from && value <= to).map((value) => ({ value, words: isSaid(value) ? plain(value) : '' })),
    share: (value) => (value > 0 ? Math.log10(value / from) / Math.log10(to / from) : null),
  };
}

/** Formats without trailing zeros: 0.01, 5, 1000. Beyond a million as a power of ten. */
function plain(value: number): string {
  return value >= 1e6 || value < 1e-4 ? value.toExponential(0).replace('e+', 'e') : String(value);
}

/** Estimates the largest width of an axis' texts, px. No measuring is needed, because digits of 11 px all have the same width. */
export function roomFor({ marks }: Scale): number {
  return marks.reduce((most, { words }) => Math.max(most, words.length), 0) * 6.6 + 16;
}
