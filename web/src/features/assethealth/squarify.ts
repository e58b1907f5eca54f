// A treemap: boxes whose areas are as their weights, as square as can be (Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000). Pure.
import type { Box } from '../../charts/ink';

/** A box for each weight, in the order given. What has no weight above 0 gets a box of no size. */
export function squarify(weights: readonly number[], { left, top, width, height }: Box): readonly Box[] {
  const boxes: Box[] = weights.map(() => ({ left, top, width: 0, height: 0 }));
  const order = weights.map((weight, at) => ({ weight, at })).filter(({ weight }) => weight > 0 && Number.isFinite(weight));
  const sum = order.reduce((before, { weight }) => before + weight, 0);
  if (!(sum > 0) || !(width > 0) || !(height > 0)) return boxes;
  order.sort((a, b) => b.weight - a.weight || a.at - b.at);
  const scale = (width * height) / sum;
  let free = { left, top, width, height };
  let from = 0;
  while (from < order.length) {
    const side = Math.min(free.width, free.height);
    let to = from;
    let area = 0;
    let worst = Infinity;
    // The row takes boxes as long as they make it squarer.
    while (to < order.length) {
      const next = area + (order[to]?.weight ?? 0) * scale;
      const ratio = worstOf((order[from]?.weight ?? 0) * scale, (order[to]?.weight ?? 0) * scale, next, side);
      if (ratio > worst) break;
      [area, worst] = [next, ratio];
      to += 1;
    }
    const isLast = to === order.length;
    const isUpright = free.width >= free.height;
    // What rounding left over is the last row's.
    const deep = isLast ? (isUpright ? free.width : free.height) : Math.min(area / side, isUpright ? free.width : free.height);
    let along = 0;
    for (let at = from; at < to; at += 1) {
      const own = order[at];
      if (!own) continue;
      const long = (own.weight * scale * side) / area;
      boxes[own.at] = isUpright
        ? { left: free.left, top: free.top + along, width: deep, height: long }
        : { left: free.left + along, top: free.top, width: long, height: deep };
      along += long;
    }
    free = isUpright
      ? { ...free, left: free.left + deep, width: free.width - deep }
      : { ...free, top: free.top + deep, height: free.height - deep };
    from = to;
  }
  return boxes;
}

/** How far from square the worst box of a row is: its largest and smallest area, the row's area, and how long the row is. */
function worstOf(most: number, least: number, area: number, side: number): number {
  return Math.max((side * side * most) / (area * area), (area * area) / (side * side * least));
}

export interface Leaf {
  readonly group: string;
  /** Null where it is not known: such a box has a place of its own, and all of them one size. */
  readonly weight: number | null;
}

export interface Laid {
  /** Of each leaf, in the order given. */
  readonly boxes: readonly Box[];
  /** Of each group that has sized boxes, the room for its name on top of it; no height where there is no room. */
  readonly groups: readonly { readonly name: string; readonly box: Box }[];
  /** Where the boxes without weight are; null where all have one. */
  readonly unsized: Box | null;
}

const NAME = 15;
/** A group smaller than this goes without its name, px. */
const NAMED = { width: 44, height: 40 } as const;
/** Boxes without weight have at most this share of the picture. */
const UNSIZED_MOST = 0.25;
const UNSIZED_LEAST = 34;

/** Groups side by side, in each its leaves; below them what has no weight. */
export function layout(leaves: readonly Leaf[], { width, height }: { readonly width: number; readonly height: number }): Laid {
  const boxes: Box[] = leaves.map(() => ({ left: 0, top: 0, width: 0, height: 0 }));
  const isSized = ({ weight }: Leaf) => weight !== null && weight > 0;
  const groups = new Map<string, number[]>();
  const rest: number[] = [];
  leaves.forEach((leaf, at) => {
    if (!isSized(leaf)) rest.push(at);
    else if (!groups.get(leaf.group)?.push(at)) groups.set(leaf.group, [at]);
  });
  const share = rest.length / Math.max(leaves.length, 1);
  const strip = rest.length === 0 ? 0 : groups.size === 0 ? height : Math.min(height, Math.max(UNSIZED_LEAST, height * Math.min(share, UNSIZED_MOST)));
  const weightOf = (at: number) => leaves[at]?.weight ?? 0;
  const names = [...groups.keys()];
  const outer = squarify(
    names.map((name) => (groups.get(name) ?? []).reduce((sum, at) => sum + weightOf(at), 0)),
    { left: 0, top: 0, width, height: height - strip },
  );
  const named = names.map((name, place) => {
    const own = groups.get(name) ?? [];
    const whole = outer[place] ?? { left: 0, top: 0, width: 0, height: 0 };
    const head = whole.width >= NAMED.width && whole.height >= NAMED.height ? NAME : 0;
    squarify(own.map(weightOf), { ...whole, top: whole.top + head, height: whole.height - head }).forEach((box, at) => {
      boxes[own[at] ?? 0] = box;
    });
    return { name, box: { ...whole, height: head } };
  });
  if (rest.length === 0) return { boxes, groups: named, unsized: null };
  const unsized = { left: 0, top: height - strip, width, height: strip };
  const head = strip >= UNSIZED_LEAST ? NAME : 0;
  squarify(rest.map(() => 1), { ...unsized, top: unsized.top + head, height: strip - head }).forEach((box, at) => {
    boxes[rest[at] ?? 0] = box;
  });
  return { boxes, groups: named, unsized };
}
