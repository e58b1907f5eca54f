// Tests of feeds: replacing, removing and trimming rows, and the rate of notifications.
import { expect, test, vi } from 'vitest';
import { Feed, Feeds } from './feed';

interface Row {
  id: number;
  at: number;
  gone?: boolean;
}
const feeding = { key: ({ id }: Row) => id, isGone: ({ gone }: Row) => gone ?? false, max: 3, order: (a: Row, b: Row) => b.at - a.at };
const never = () => undefined;

test('rows are replaced by their key, leave when they say so, and the least of too many are forgotten', () => {
  const feed = new Feed<Row>(feeding, never);
  feed.replace([{ id: 1, at: 1 }, { id: 2, at: 2 }]);
  feed.add([{ id: 2, at: 5 }, { id: 1, at: 1, gone: true }]);
  expect(feed.rows()).toEqual([{ id: 2, at: 5 }]);
  feed.add([{ id: 3, at: 3 }, { id: 4, at: 4 }, { id: 5, at: 1 }]);
  expect(feed.rows().map(({ id }) => id).sort()).toEqual([2, 3, 4]);
});

test('listeners are told ten times a second at most, and of a row only when it changed', () => {
  let clock = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const waiting: (() => void)[] = [];
  const feed = new Feed<Row>(feeding, (run) => waiting.push(run));
  const turn = () => waiting.splice(0).forEach((run) => run());
  feed.replace([{ id: 1, at: 1 }, { id: 2, at: 1 }]);
  turn();
  let [all, first, second] = [0, 0, 0];
  feed.subscribe(() => (all += 1));
  feed.subscribeRow(1, () => (first += 1));
  feed.subscribeRow(2, () => (second += 1));
  for (let at = 2; at < 50; at += 1) {
    feed.add([{ id: 1, at }]);
    clock += 1;
    turn();
  }
  expect([all, first, second]).toEqual([0, 0, 0]);
  clock += 100;
  turn();
  expect([all, first, second]).toEqual([1, 1, 0]);
  vi.restoreAllMocks();
});

test('what failed keeps its last rows and says why', () => {
  const feed = new Feed<Row>(feeding, never);
  feed.replace([{ id: 1, at: 1 }]);
  feed.fail('no');
  expect([feed.state, feed.problem, feed.size]).toEqual(['failed', 'no', 1]);
  feed.add([]);
  expect([feed.state, feed.problem, feed.size]).toEqual(['ready', '', 1]);
  feed.replace([]);
  expect([feed.state, feed.problem, feed.size]).toEqual(['ready', '', 0]);
});

test('a stream is open once however many show it, and closed a moment after the last', () => {
  vi.useFakeTimers();
  const opened: string[] = [];
  const closed: string[] = [];
  const feeds = new Feeds({
    subscribe: (name: string) => {
      opened.push(name);
      return () => closed.push(name);
    },
  });
  const one = feeds.take<Row>('alarms/client/1', feeding);
  const two = feeds.take<Row>('alarms/client/1', feeding);
  expect(one.feed).toBe(two.feed);
  one.release();
  one.release();
  vi.advanceTimersByTime(10_000);
  expect([opened.length, closed.length]).toEqual([1, 0]);
  two.release();
  const again = feeds.take<Row>('alarms/client/1', feeding);
  vi.advanceTimersByTime(10_000);
  expect([opened.length, closed.length]).toEqual([1, 0]);
  again.release();
  vi.advanceTimersByTime(10_000);
  expect([opened.length, closed.length]).toEqual([1, 1]);
  vi.useRealTimers();
});
