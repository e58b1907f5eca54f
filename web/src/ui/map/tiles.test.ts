// Tests of map tiles: they cover the view, meet without gaps, and lie where their place is.
import { expect, test } from 'vitest';
import { projection } from './project';
import { tilesOf } from './tiles';

const SIZE = { width: 800, height: 600 };
const TEMPLATE = '/tiles/{z}/{x}/{y}.png';
const shown = projection([[83.1, 17.6], [83.3, 17.8]], SIZE)!;
const WHOLE = { scale: 1, x: 0, y: 0 };

test('a position is found again from its place', () => {
  const [lon, lat] = shown.locate(shown.place([83.21, 17.73]));
  expect([lon, lat]).toEqual([expect.closeTo(83.21, 9), expect.closeTo(17.73, 9)]);
});

test.each([WHOLE, { scale: 4, x: -900, y: -500 }, { scale: 0.5, x: 200, y: 150 }])('tiles cover the view %j without gaps', (view) => {
  const tiles = tilesOf(TEMPLATE, shown, view, SIZE);
  expect(tiles.length).toBeGreaterThan(0);
  expect(tiles.length).toBeLessThanOrEqual(64);
  for (const [x, y] of [[0, 0], [799, 0], [0, 599], [799, 599], [400, 300]] as const) {
    const over = tiles.filter((tile) => x >= tile.x - 0.01 && x < tile.x + tile.width + 0.01 && y >= tile.y - 0.01 && y < tile.y + tile.height + 0.01);
    expect(over.length, `${x} ${y}`).toBeGreaterThan(0);
  }
  // A tile is shown at about its own size.
  expect(tiles.every(({ width }) => width > 170 && width < 370)).toBe(true);
});

test('the tile of a place lies at the place', () => {
  // The usual formula of tile numbers, written in another way than the code.
  const view = { scale: 1, x: 0, y: 0 };
  const tile = tilesOf(TEMPLATE, shown, view, SIZE).find(({ x, y, width, height }) => {
    const at = shown.place([83.1, 17.6]);
    return at.x >= x && at.x < x + width && at.y >= y && at.y < y + height;
  });
  const [, zoom = 0, column, row] = /(\d+)\/(\d+)\/(\d+)/.exec(tile?.url ?? '')?.map(Number) ?? [];
  const radians = (17.6 * Math.PI) / 180;
  const expected = [((83.1 + 180) / 360) * 2 ** zoom, ((1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2) * 2 ** zoom];
  expect([column, row]).toEqual(expected.map(Math.floor));
});

test('an address without placeholders has no tiles', () => {
  expect(tilesOf('/picture.png', shown, WHOLE, SIZE)).toEqual([]);
});
