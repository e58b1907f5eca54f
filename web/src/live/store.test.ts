// Tests that the newest value wins and that each listener is notified once a flush.
import { expect, test, vi } from 'vitest';
import { LiveStore } from './store';

function store() {
  const queue: (() => void)[] = [];
  const made = new LiveStore((run) => queue.push(run));
  vi.spyOn(performance, 'now').mockReturnValue(1_000);
  return { made, flush: () => queue.splice(0).forEach((run) => run()) };
}

test('the last word of the stream is taken, whatever its source time is', () => {
  const { made } = store();
  made.apply([[1, 5, 2, 240_000]]);
  made.apply([[1, 4, 0, 99]]);
  expect(made.get(1)).toEqual({ v: 4, q: 0, t: 99 });
});

test('a polled value is taken if it is newer, and gives way to the stream', () => {
  const { made } = store();
  made.apply([[1, 5, 0, 100], [2, 6, 0, 100], [3, 7, 0, 100]]);
  made.applyPolled([[1, 4, 0, 99], [2, 8, 0, 101], [3, 9, 0, 101], [4, 1, 0, 101]]);
  made.applyPolled([[2, 9, 0, 102]]);
  expect([1, 2, 3, 4].map((id) => made.get(id)?.v)).toEqual([5, 9, 9, 1]);
  made.apply([[3, 8, 0, 50]]);
  expect([1, 2, 3, 4].map((id) => made.get(id)?.v)).toEqual([5, 6, 8, undefined]);
});

test('a quality that changes at the same time is taken', () => {
  const { made } = store();
  made.apply([[1, 5, 0, 100]]);
  made.apply([[1, 5, 5, 100]]);
  expect(made.get(1)?.q).toBe(5);
});

test('many changes are one batch, and nothing new is none', () => {
  const { made, flush } = store();
  const batches: number[][] = [];
  const own = vi.fn();
  made.onBatch((ids) => batches.push([...ids]));
  made.subscribe(2, own);
  made.apply([[1, 1, 0, 1], [2, 1, 0, 1]]);
  made.apply([[2, 2, 0, 2]]);
  flush();
  made.apply([[2, 2, 0, 2]]);
  flush();
  expect(batches).toEqual([[1, 2]]);
  expect(own).toHaveBeenCalledTimes(1);
});
