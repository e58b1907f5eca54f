// Axes of values: where they begin and end, where they are marked, and where a value stands on them. Pure.
import { decimalsOf } from './aligned';
import { figure } from './model';

export interface Scale {
  readonly from: number;
  readonly to: number;
  /** Ascending; a mark without words is only a faint line. */
  readonly marks: readonly { readonly value: number; readonly words: string }[];
  /** From 0 at the beginning to 1 at the end; null for what has no place on it, such as 0 on a logarithmic axis. */
  readonly share: (value: number) => number | null;
}

/** 1, 2 or 5 times a power of ten, at least as much. */
export function round(value: number, isWhole = false): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].map((times) => times * power).find((step) => step >= value * (1 - 1e-9)) ?? 10 * power;
  return isWhole ? Math.max(1, Math.ceil(step)) : step;
}

/** What can be told apart of sums of steps. */
const exact = (value: number) => Number(value.toPrecision(12));

/**
 * An axis, from 0 where `fromZero`, in round steps: about `parts` of them, or exactly so many where it shares the lines of another.
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

/** An axis with the ends that it is given, marked at every `step`, or in about so many round steps. */
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

/** Marks that an axis has at most, whatever step it is given. */
const MARKS = 100;

/** Decades that an axis has at most: what is farther apart is no measurement. */
const DECADES = 12;

/** A logarithmic axis: words at powers of ten, and at 2 and 5 where there are few of them. Values that are not above 0 have no place. */
export function logarithmic(low: number, high: number): Scale {
  const isKnown = low > 0 && high > 0 && Number.isFinite(low) && Number.isFinite(high);
  const [least, most] = isKnown ? [low, Math.max(low, high)] : [1, 10];
  const last = Math.ceil(Math.log10(most) - 1e-9);
  const first = Math.max(Math.min(Math.floor(Math.log10(least) + 1e-9), last - 1), last - DECADES);
  // Within one or two decades, the axis goes from the nearest 1, 2 or 5 below to the nearest one above.
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

/** Without trailing zeros: 0.01, 5, 1000; beyond a million as a power of ten. */
function plain(value: number): string {
  return value >= 1e6 || value < 1e-4 ? value.toExponential(0).replace('e+', 'e') : String(value);
}

/** How wide the words of an axis are at most, px, without measuring: figures of 11 px are all the same. */
export function roomFor({ marks }: Scale): number {
  return marks.reduce((most, { words }) => Math.max(most, words.length), 0) * 6.6 + 16;
}
