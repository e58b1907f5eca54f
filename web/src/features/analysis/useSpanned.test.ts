// Tests that a span which follows the clock does not cancel the running request.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import type { Range } from '../../charts/range';
import type { Asking } from '../../wire/rest';
import { useSpanned } from './useSpanned';

test('a span that follows the clock waits for the running request, and is requested after it', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  const sent: { span: Range; asking: Asking; answer: (text: string) => void }[] = [];
  const ask = (span: Range, asking: Asking) => new Promise<string>((answer) => sent.push({ span, asking, answer }));
  const Shown = ({ to, isBackground }: { to: number; isBackground: boolean }) => useSpanned('check', { from: 0, to }, isBackground, ask).data;
  const box = document.createElement('div');
  const root = createRoot(box);
  await act(async () => root.render(createElement(Shown, { to: 1, isBackground: false })));
  await act(() => vi.advanceTimersByTimeAsync(0));
  await act(async () => root.render(createElement(Shown, { to: 2, isBackground: true })));
  await act(() => vi.advanceTimersByTimeAsync(70_000));
  expect(sent.map(({ asking }) => asking.signal?.aborted)).toEqual([false]);
  await act(async () => sent[0]?.answer('slow'));
  expect(box.textContent).toBe('slow');
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(sent.slice(1).map(({ span, asking }) => [span.to, asking.isBackground, asking.isHeavy])).toEqual([[2, true, true]]);
  await act(async () => root.unmount());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
