// A treemap: boxes with areas in proportion to their weights, as square as possible (Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000). Pure.
import type { Box } from '../../charts/ink';

/** Returns a box for each weight, in order. A weight of 0 or less gets a box of size 0. */
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
    // The row takes boxes as long as they improve its worst aspect ratio.
    while (to < order.length) {
      const next = area + (order[to]?.weight ?? 0) * scale;
      const ratio = worstOf((order[from]?.weight ?? 0) * scale, (order[to]?.weight ?? 0) * scale, next, side);
      if (ratio > worst) break;
      [area, worst] = [next, ratio];
      to += 1;
    }
    const isLast = to === order.length;
    const isUpright = free.width >= free.height;
    // The last row takes the remaining space, which includes rounding errors.
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

/** The worst aspect ratio of a row, from its largest and smallest box, its area and its length. */
function worstOf(most: number, least: number, area: number, side: number): number {
  return Math.max((side * side * most) / (area * area), (area * area) / (side * side * least));
}

export interface Leaf {
  readonly group: string;
  /** Null if unknown. Such boxes have a separate region and all the same size. */
  readonly weight: number | null;
}

export interface Laid {
  /** The box of each leaf, in order. */
  readonly boxes: readonly Box[];
  /** The heading of each group with sized boxes; its height is 0 if there is no room. */
  readonly groups: readonly { readonly name: string; readonly box: Box }[];
  /** The region of boxes without weight; null if all have one. */
  readonly unsized: Box | null;
}

const NAME = 15;
/** Smallest group with a heading, px. */
const NAMED = { width: 44, height: 40 } as const;
/** Largest share of the figure for boxes without weight. */
const UNSIZED_MOST = 0.25;
const UNSIZED_LEAST = 34;

/** Lays out groups side by side with their leaves, and the leaves without weight below them. */
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
