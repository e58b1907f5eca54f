// The bounding box of each element, for culling and for hit testing.
import type { Element } from '../../wire/sld';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const PICKABLE = new Set(['breaker', 'isolator', 'relay', 'transformer', 'battery', 'capacitor', 'feeder', 'source', 'generator', 'motor', 'reactor', 'fuse', 'loadBreakSwitch', 'recloser', 'sectionaliser', 'switch', 'load', 'inverter']);
/** Smallest size of a hit target on the screen, px. */
const HIT_PX = 24;

/** Offset of the centre of an earth switch from its line. */
const EARTH_OFFSET: Readonly<Record<string, readonly [number, number]>> = { earthSwitchRight: [20, 0], earthSwitchLeft: [-20, 0], earthSwitchDown: [0, 20], earthSwitchTop: [0, -20] };

export function isPickable(element: Element): boolean {
  return PICKABLE.has(element.class);
}

/** The bounding box with room for texts. */
export function boxOf(element: Element): Box {
  if (element.path) {
    const xs = element.path.map(([x]) => x);
    const ys = element.path.map(([, y]) => y);
    return { left: Math.min(...xs) - 4, top: Math.min(...ys) - 4, right: Math.max(...xs) + 4, bottom: Math.max(...ys) + 4 };
  }
  if (element.class === 'busbar') {
    const { x1 = 0, y1 = 0, x2 = 0, y2 = 0 } = element;
    return { left: Math.min(x1, x2), top: Math.min(y1, y2) - 24, right: Math.max(x1, x2), bottom: Math.max(y1, y2) + 8 };
  }
  const { x = 0, y = 0 } = element;
  return { left: x - 90, top: y - 60, right: x + 170, bottom: y + (element.textSide === 'below' ? 160 : 70) };
}

export function intersects(a: Box, b: Box): boolean {
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

/** The nearest element that can be selected, if it is within reach. */
export function pick(elements: readonly Element[], at: { x: number; y: number }, scale: number): Element | null {
  const reach = Math.max(18, HIT_PX / 2 / scale);
  let found: Element | null = null;
  let nearest = reach;
  for (const element of elements) {
    if (!isPickable(element)) continue;
    const [across, down] = EARTH_OFFSET[element.category ?? ''] ?? [0, 0];
    const dx = at.x - (element.x ?? 0) - across;
    const dy = at.y - (element.y ?? 0) - down;
    const distance = Math.hypot(dx, element.class === 'transformer' ? dy / 1.6 : dy);
    if (distance < nearest) {
      nearest = distance;
      found = element;
    }
  }
  return found;
}
