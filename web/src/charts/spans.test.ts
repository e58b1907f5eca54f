// Tests that marked spans are clipped to the chart, that very short ones remain visible, and that spans outside are not drawn.
import { expect, test } from 'vitest';
import { laid } from './spans';

const span = (from: number, to: number) => ({ from, to, name: 'gap' });

test.each([
  ['within', span(20, 50), [{ x: 120, width: 30 }]],
  ['cut at both sides', span(-50, 500), [{ x: 100, width: 200 }]],
  ['a moment', span(30, 30), [{ x: 130, width: 2 }]],
  ['before', span(-50, -10), []],
  ['after', span(201, 300), []],
])('%s', (_, own, expected) => {
  expect(laid([own], (at) => 100 + at, 100, 200, 2)).toEqual(expected.map((place) => ({ ...place, name: 'gap' })));
});
