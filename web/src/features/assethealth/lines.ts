// Finds the line under the pointer. Pure.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The square of the distance between a point and a line segment. */
function farFrom({ x, y }: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = dx * dx + dy * dy;
  const share = long === 0 ? 0 : Math.min(1, Math.max(0, ((x - from.x) * dx + (y - from.y) * dy) / long));
  return (x - from.x - share * dx) ** 2 + (y - from.y - share * dy) ** 2;
}

/** Index of the nearest line within a distance; null if there is none. */
export function nearestLine(lines: readonly (readonly Point[])[], at: Point, within: number): number | null {
  let found: number | null = null;
  let least = within * within;
  lines.forEach((line, place) => {
    for (let index = 1; index < line.length; index += 1) {
      const [from, to] = [line[index - 1], line[index]];
      const far = from && to ? farFrom(at, from, to) : Infinity;
      if (far <= least) [found, least] = [place, far];
    }
  });
  return found;
}
