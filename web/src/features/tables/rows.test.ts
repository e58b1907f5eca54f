// How rows come together.
import { expect, test } from 'vitest';
import { byId, newestFirst } from './rows';

const row = (offset: number, EventTime: string) => ({ offset, EventTime });

test('events stand newest first, each once, also late ones', () => {
  const held = newestFirst([], [row(1, '2026-11-01T00:00:01Z'), row(2, '2026-11-01T00:00:03Z')]);
  expect(newestFirst(held, [row(2, '2026-11-01T00:00:03Z'), row(3, '2026-11-01T00:00:02Z')]).map((r) => r.offset)).toEqual([2, 3, 1]);
});

test('rows with an id are replaced in place', () => {
  expect(byId([{ id: 1, a: 1 }, { id: 2, a: 1 }], [{ id: 2, a: 5 }, { id: 3, a: 1 }])).toEqual([{ id: 1, a: 1 }, { id: 2, a: 5 }, { id: 3, a: 1 }]);
});
