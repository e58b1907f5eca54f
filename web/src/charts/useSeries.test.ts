// Tests of loading chart data: a request starts after the span has stopped moving, it cancels the previous one, and a failure keeps the last data.
// @vitest-environment jsdom
import { act, createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChartData } from './model';
import type { Range } from './range';
import { useSeries, type Series, type Source } from './useSeries';

interface Question {
  readonly range: Range;
  readonly width: number;
  readonly signal: AbortSignal;
  readonly isBackground: boolean;
  readonly answer: (data: ChartData) => void;
  readonly fail: (error: Error) => void;
}

const data = (at: number): ChartData => ({ times: [at], bucketMs: 0, columns: [] });
const HOUR = { from: 0, to: 3_600_000 };
const DAY = { from: 0, to: 86_400_000 };

function shown(source: Pick<Source, 'key'>, strict = false) {
  const questions: Question[] = [];
  let latest: Series | undefined;
  const load: Source['load'] = (range, width, signal, isBackground) =>
    new Promise((answer, fail) => questions.push({ range, width, signal, isBackground, answer, fail }));
  const Shown = ({ source, range, width, isBackground }: { source: Source; range: Range; width: number; isBackground: boolean }) => {
    latest = useSeries(source, range, width, isBackground);
    return null;
  };
  const root = createRoot(document.createElement('div'));
  const show = (range: Range, width = 1_480, key = source.key, isBackground = false) =>
    act(() =>
      root.render(
        createElement(strict ? StrictMode : 'div', null, createElement(Shown, { source: { key, load }, range, width, isBackground })),
      ),
    );
  return { questions, show, series: () => latest as Series, leave: () => act(() => root.unmount()) };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
afterEach(() => vi.useRealTimers());
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('it asks for the span at the width, rounded up; nothing while it has no width', async () => {
  const { questions, show, series } = shown({ key: 'a' });
  await show(DAY, 0);
  await pass(1_000);
  expect(questions).toHaveLength(0);
  await show(DAY, 1_401);
  await pass(0);
  expect(questions.map(({ range, width }) => [range, width])).toEqual([[DAY, 1_500]]);
  expect([series().data, series().isLoading]).toEqual([null, true]);
  await act(async () => questions[0]?.answer(data(1)));
  expect([series().data?.times, series().isLoading, series().problem]).toEqual([[1], false, '']);
});

test('a few pixels and a renewed token ask nothing anew, and no width is beyond the bound', async () => {
  const { questions, show } = shown({ key: 'a' });
  await show(DAY, 1_401);
  await pass(0);
  await show(DAY, 1_499);
  await pass(1_000);
  expect(questions).toHaveLength(1);
  await show(DAY, 9_000);
  await pass(1_000);
  expect(questions.at(-1)?.width).toBe(4_000);
});

test('while a span is being chosen nothing is sent, and the question before is given up', async () => {
  const { questions, show, series } = shown({ key: 'a' });
  await show(DAY);
  await pass(0);
  await act(async () => questions[0]?.answer(data(1)));
  for (let to = 1; to <= 5; to += 1) {
    await show({ from: 0, to: to * 1_000_000 });
    await pass(100);
  }
  expect(questions).toHaveLength(1);
  await pass(100);
  expect(questions).toHaveLength(2);
  await show(HOUR);
  expect(questions[1]?.signal.aborted).toBe(true);
  await pass(200);
  // The answer to the cancelled request is ignored.
  await act(async () => questions[1]?.answer(data(2)));
  expect([series().data?.times, series().isLoading]).toEqual([[1], true]);
  await act(async () => questions[2]?.answer(data(3)));
  expect(series().data?.times).toEqual([3]);
});

test('when it fails the last data stay and the reason is told; asking again clears it', async () => {
  const { questions, show, series } = shown({ key: 'a' });
  await show(DAY);
  await pass(0);
  await act(async () => questions[0]?.answer(data(1)));
  await show(HOUR);
  await pass(200);
  await act(async () => questions[1]?.fail(new Error('The history is not available.')));
  expect([series().data?.times, series().problem, series().isLoading]).toEqual([[1], 'The history is not available.', false]);
  await act(async () => series().retry());
  await pass(200);
  await act(async () => questions[2]?.answer(data(2)));
  expect([series().data?.times, series().problem]).toEqual([[2], '']);
});

test('another chart begins with nothing of the one before', async () => {
  const { questions, show, series } = shown({ key: 'a' });
  await show(DAY);
  await pass(0);
  await act(async () => questions[0]?.answer(data(1)));
  await show(DAY, 1_480, 'b');
  expect(series().data).toBeNull();
  await pass(0);
  expect(questions).toHaveLength(2);
});

test('what a timer asks is told as such', async () => {
  const { questions, show } = shown({ key: 'a' });
  await show(DAY, 1_480, 'a', true);
  await pass(0);
  expect(questions[0]?.isBackground).toBe(true);
});

test('mounted twice, as React does to find leaks, it asks once; who leaves gives his question up', async () => {
  const { questions, show, leave } = shown({ key: 'a' }, true);
  await show(DAY);
  await pass(1_000);
  expect(questions).toHaveLength(1);
  await leave();
  expect(questions[0]?.signal.aborted).toBe(true);
});

test('a span that follows the clock waits for the running request, and is requested after it', async () => {
  const { questions, show, series } = shown({ key: 'a' });
  await show(DAY);
  await pass(0);
  await show(HOUR, 1_480, 'a', true);
  await pass(70_000);
  expect(questions.map(({ signal }) => signal.aborted)).toEqual([false]);
  await act(async () => questions[0]?.answer(data(1)));
  expect(series().data?.times).toEqual([1]);
  await pass(200);
  expect(questions.slice(1).map(({ range, isBackground }) => [range, isBackground])).toEqual([[HOUR, true]]);
});
