// Tests of the map: directions, distances, and labels that do not overlap.
import { expect, test } from 'vitest';
import { labels, projection, scaleBar } from './project';

test('north is up, east is right, and everything lies within the margin', () => {
  const shown = projection([[83.1, 17.6], [83.3, 17.8]], { width: 800, height: 600 });
  const [southWest, northEast] = [shown!.place([83.1, 17.6]), shown!.place([83.3, 17.8])];
  expect(southWest.x).toBeLessThan(northEast.x);
  expect(southWest.y).toBeGreaterThan(northEast.y);
  for (const { x, y } of [southWest, northEast]) {
    expect(x).toBeGreaterThanOrEqual(55.9);
    expect(x).toBeLessThanOrEqual(744.1);
    expect(y).toBeGreaterThanOrEqual(55.9);
    expect(y).toBeLessThanOrEqual(544.1);
  }
});

test('a degree of longitude is as long as it is there', () => {
  const shown = projection([[10, 59.9], [10.2, 60.1]], { width: 1000, height: 1000 })!;
  const east = shown.place([10.2, 60]).x - shown.place([10, 60]).x;
  const north = shown.place([10, 60]).y - shown.place([10, 60.2]).y;
  expect(east / north).toBeCloseTo(0.5, 2);
});

test('one place alone stands in the middle, and none makes no picture', () => {
  expect(projection([[5, 5]], { width: 400, height: 400 })!.place([5, 5])).toEqual({ x: 200, y: 200 });
  expect(projection([], { width: 400, height: 400 })).toBeNull();
  expect(projection([[5, 5]], { width: 10, height: 400 })).toBeNull();
});

test('the scale bar has a round length', () => {
  for (const km of [0.13, 0.9, 3.3, 47]) {
    const bar = scaleBar(km);
    expect([1, 2, 5]).toContain(Number(bar.km.toPrecision(1)) / 10 ** Math.floor(Math.log10(bar.km) + 1e-9));
    expect(bar.px).toBeGreaterThan(40);
    expect(bar.px).toBeLessThan(260);
  }
});

test('names do not stand on one another', () => {
  const found = labels([
    { id: 1, x: 100, y: 100, width: 80 },
    { id: 2, x: 130, y: 104, width: 80 },
    { id: 3, x: 400, y: 100, width: 80 },
    { id: 4, x: 780, y: 300, width: 80 },
  ], { width: 800, height: 600 });
  expect(found.get(1)).toBe('left');
  expect(found.get(2)).toBe('right');
  expect(found.get(3)).toBe('right');
  expect(found.get(4)).toBe('left');
});
