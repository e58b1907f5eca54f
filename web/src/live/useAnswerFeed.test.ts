// Tests of the rows of a repeated answer: they are not up to date until the next answer, even if they change for another reason.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import type { Feed } from './feed';
import { useAnswerFeed } from './useAnswerFeed';

test('rows that change while the answer is not up to date do not look up to date', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const root = createRoot(document.createElement('div'));
  let feed: Feed<number> | undefined;
  function Rows({ rows, problem }: { rows: readonly number[] | null; problem: string }) {
    feed = useAnswerFeed(rows, problem, (row) => row);
    return null;
  }
  const show = (rows: readonly number[] | null, problem: string) => act(async () => root.render(createElement(Rows, { rows, problem })));
  await show(null, '');
  expect(feed?.state).toBe('loading');
  await show([1], '');
  expect([feed?.state, feed?.size]).toEqual(['ready', 1]);
  await show([1], 'no answer');
  await show([1, 2], 'no answer');
  expect([feed?.state, feed?.problem, feed?.size]).toEqual(['failed', 'no answer', 2]);
  await show([1, 2, 3], '');
  expect([feed?.state, feed?.size]).toEqual(['ready', 3]);
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});
