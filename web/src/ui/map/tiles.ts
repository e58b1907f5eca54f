// The map tiles of a view: which ones it needs, and where they lie. Tiles are in Web Mercator; each is placed by its corners, which at the
// size of a tile is exact to less than a pixel. Pure.
import type { Frame, Projection } from './project';

/** The position of a map in its frame. */
interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface Tile {
  readonly url: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const TILE_PX = 256;
const ZOOM_MAX = 19;
/** Largest number of tiles of a view. Beyond it, larger tiles are used. */
const TILES_MAX = 64;
/** Latitude at which the map of Web Mercator ends. */
const LATITUDE_MAX = 85.05;

const column = (lon: number, zoom: number) => ((lon + 180) / 360) * 2 ** zoom;
const row = (lat: number, zoom: number) => {
  const radians = (Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, lat)) * Math.PI) / 180;
  return ((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** zoom;
};
const longitude = (x: number, zoom: number) => (x / 2 ** zoom) * 360 - 180;
const latitude = (y: number, zoom: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** zoom))) * 180) / Math.PI;

/** Returns the tiles of a view. `template` has the placeholders {z}, {x} and {y}; without them there are no tiles. */
export function tilesOf(template: string, shown: Projection, view: View, { width, height }: Frame): readonly Tile[] {
  if (!['{z}', '{x}', '{y}'].every((part) => template.includes(part))) return [];
  const at = (x: number, y: number) => shown.locate({ x: (x - view.x) / view.scale, y: (y - view.y) / view.scale });
  const [west, north] = at(0, 0);
  const [east, south] = at(width, height);
  const best = Math.log2(((width / (east - west)) * 360) / TILE_PX);
  let zoom = Math.max(0, Math.min(ZOOM_MAX, Math.round(best)));
  const range = () => {
    const most = 2 ** zoom - 1;
    const inside = (value: number) => Math.max(0, Math.min(most, Math.floor(value)));
    return { left: inside(column(west, zoom)), right: inside(column(east, zoom)), top: inside(row(north, zoom)), bottom: inside(row(south, zoom)) };
  };
  let tiles = range();
  while (zoom > 0 && (tiles.right - tiles.left + 1) * (tiles.bottom - tiles.top + 1) > TILES_MAX) {
    zoom -= 1;
    tiles = range();
  }
  const { left, right, top, bottom } = tiles;
  const place = (x: number, y: number) => {
    const point = shown.place([longitude(x, zoom), latitude(y, zoom)]);
    return { x: point.x * view.scale + view.x, y: point.y * view.scale + view.y };
  };
  return Array.from({ length: bottom - top + 1 }, (_, down) => top + down).flatMap((y) =>
    Array.from({ length: right - left + 1 }, (_, across): Tile => {
      const x = left + across;
      const [from, to] = [place(x, y), place(x + 1, y + 1)];
      const url = template.replace('{z}', String(zoom)).replace('{x}', String(x)).replace('{y}', String(y));
      return { url, x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
    }),
  );
}
