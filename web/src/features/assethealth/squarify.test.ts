// Tests of treemaps: areas in proportion to weights, no overlaps, nothing outside, and boxes close to squares.
import { expect, test } from 'vitest';
import type { Box } from '../../charts/ink';
import { random } from './madeup';
import { layout, squarify } from './squarify';

const FRAME = { left: 10, top: 20, width: 640, height: 360 };
const area = ({ width, height }: Box) => width * height;
const overlap = (a: Box, b: Box) =>
  Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top));
const outside = (box: Box, frame: Box) => area(box) - overlap(box, frame);

test('areas are as weights, and the boxes fill the frame without lying on one another', () => {
  const next = random(1);
  for (let round = 0; round < 60; round += 1) {
    const weights = Array.from({ length: 1 + Math.floor(next() * 60) }, () => next() ** 3 * 100 + 0.01);
    const sum = weights.reduce((before, weight) => before + weight, 0);
    const boxes = squarify(weights, FRAME);
    boxes.forEach((box, at) => {
      expect(area(box)).toBeCloseTo(((weights[at] ?? 0) / sum) * area(FRAME), 4);
      expect(outside(box, FRAME)).toBeLessThan(1e-6);
      boxes.slice(at + 1).forEach((other) => expect(overlap(box, other)).toBeLessThan(1e-6));
    });
  }
});

test('the example of the paper: 6, 6, 4, 3, 2, 2, 1 in a frame of 6 by 4', () => {
  const boxes = squarify([6, 6, 4, 3, 2, 2, 1], { left: 0, top: 0, width: 6, height: 4 });
  expect(boxes.slice(0, 2)).toEqual([
    { left: 0, top: 0, width: 3, height: 2 },
    { left: 0, top: 2, width: 3, height: 2 },
  ]);
  expect(boxes[2]?.width).toBeCloseTo(12 / 7, 9);
  expect(boxes[2]?.height).toBeCloseTo(7 / 3, 9);
});

test('many boxes of one size are near to squares', () => {
  for (const { width, height } of squarify(Array.from({ length: 1_000 }, () => 1), FRAME)) {
    expect(Math.max(width / height, height / width)).toBeLessThan(2);
  }
});

test('what weighs nothing or is no number has no box, and no frame no boxes', () => {
  const boxes = squarify([0, 5, -1, Number.NaN, Infinity], FRAME);
  expect(boxes.map(area)).toEqual([0, area(FRAME), 0, 0, 0]);
  expect(squarify([1, 2], { ...FRAME, width: 0 }).map(area)).toEqual([0, 0]);
  expect(squarify([], FRAME)).toEqual([]);
});

test('each leaf lies in its group, and what has no weight in a place of its own, all of one size', () => {
  const next = random(2);
  const leaves = Array.from({ length: 300 }, (_, at) => ({ group: `F${at % 7}`, weight: next() < 0.2 ? null : next() * 10 + 0.1 }));
  const size = { width: 800, height: 400 };
  const { boxes, groups, unsized } = layout(leaves, size);
  expect(groups.map(({ name }) => name).sort()).toEqual(['F0', 'F1', 'F2', 'F3', 'F4', 'F5', 'F6']);
  const loose = leaves.flatMap(({ weight }, at) => (weight === null ? [boxes[at] as Box] : []));
  expect(unsized).not.toBeNull();
  for (const box of loose) {
    expect(outside(box, unsized as Box)).toBeLessThan(1e-6);
    expect(area(box)).toBeCloseTo(area(loose[0] as Box), 6);
  }
  boxes.forEach((box, at) => {
    expect(area(box)).toBeGreaterThan(0);
    expect(outside(box, { left: 0, top: 0, ...size })).toBeLessThan(1e-6);
    boxes.slice(at + 1).forEach((other) => expect(overlap(box, other)).toBeLessThan(1e-6));
    // Within a group, areas are in proportion to weights.
    const [own, twin] = [leaves[at], leaves[at + 7]];
    if (own?.weight && twin?.weight) expect(area(box) / area(boxes[at + 7] as Box)).toBeCloseTo(own.weight / twin.weight, 6);
  });
});

test('with no weight at all everything is in the place of what has none', () => {
  const { boxes, groups, unsized } = layout([{ group: 'F1', weight: null }, { group: 'F2', weight: 0 }], { width: 200, height: 100 });
  expect([groups, unsized]).toEqual([[], { left: 0, top: 0, width: 200, height: 100 }]);
  expect(area(boxes[0] as Box)).toBeCloseTo(area(boxes[1] as Box), 6);
});
