// Map projection: equirectangular around the centre of the shown places, accurate enough for the area of a utility. Pure.
import type { NetworkFeature, Position } from '../../wire/monitoring';

export interface Frame {
  readonly width: number;
  readonly height: number;
}

export interface Projection {
  readonly place: (position: Position) => { x: number; y: number };
  /** The position of a place; the inverse of `place`. */
  readonly locate: (place: { readonly x: number; readonly y: number }) => Position;
  /** Kilometres for 100 pixels. */
  readonly kmPer100: number;
}

const KM_PER_DEGREE = 111.32;

export function positions({ geometry }: Pick<NetworkFeature, 'geometry'>): readonly Position[] {
  return geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
}

/** Fits all places into a frame with a margin. Null if there are no places or the frame is too small. */
export function projection(all: readonly Position[], { width, height }: Frame, margin = 56): Projection | null {
  if (all.length === 0 || width <= margin * 2 || height <= margin * 2) return null;
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [lon, lat] of all) {
    [west, east] = [Math.min(west, lon), Math.max(east, lon)];
    [south, north] = [Math.min(south, lat), Math.max(north, lat)];
  }
  const [lon0, lat0] = [(west + east) / 2, (south + north) / 2];
  const squeeze = Math.cos((lat0 * Math.PI) / 180);
  // A single place is shown with about one kilometre around it.
  const [across, up] = [Math.max((east - west) * squeeze, 0.02), Math.max(north - south, 0.02)];
  const scale = Math.min((width - margin * 2) / across, (height - margin * 2) / up);
  return {
    place: ([lon, lat]) => ({ x: width / 2 + (lon - lon0) * squeeze * scale, y: height / 2 - (lat - lat0) * scale }),
    locate: ({ x, y }) => [lon0 + (x - width / 2) / (squeeze * scale), lat0 - (y - height / 2) / scale],
    kmPer100: (100 / scale) * KM_PER_DEGREE,
  };
}

/** A round length of the scale bar in km, and its width in px. */
export function scaleBar(kmPer100: number): { km: number; px: number } {
  const wanted = kmPer100;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const km = [1, 2, 5, 10].map((step) => step * power).reduce((best, step) => (Math.abs(step - wanted) < Math.abs(best - wanted) ? step : best));
  return { km, px: (km / kmPer100) * 100 };
}

/** The sides of their symbols on which names are placed without overlapping or leaving the frame. A name without room is left out. */
export function labels(places: readonly { id: number; x: number; y: number; width: number }[], frame: Frame): ReadonlyMap<number, 'right' | 'left' | 'below'> {
  const taken: { left: number; right: number; top: number; bottom: number }[] = places.map(({ x, y }) => ({ left: x - 8, right: x + 8, top: y - 8, bottom: y + 8 }));
  const free = (box: (typeof taken)[number]) => box.left >= 0 && box.right <= frame.width && !taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
  const found = new Map<number, 'right' | 'left' | 'below'>();
  for (const { id, x, y, width } of places) {
    const boxes = {
      right: { left: x + 10, right: x + 14 + width, top: y - 16, bottom: y + 16 },
      left: { left: x - 14 - width, right: x - 10, top: y - 16, bottom: y + 16 },
      below: { left: x - width / 2, right: x + width / 2, top: y + 10, bottom: y + 38 },
    };
    for (const side of ['right', 'left', 'below'] as const) {
      if (!free(boxes[side])) continue;
      taken.push(boxes[side]);
      found.set(id, side);
      break;
    }
  }
  return found;
}
