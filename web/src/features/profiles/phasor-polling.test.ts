// Tests that the phasor diagram sends one request at a time: a slow answer is waited for instead of being requested again.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import { PhasorDiagram } from './PhasorDiagram';

let root: Root;
let box: HTMLElement;
let sent: { isBackground: boolean; signal: AbortSignal | null | undefined }[];
const up = { up: true, since: null };
const connection = { clock: new ServerClock(), link: () => up, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  sent = [];
  vi.stubGlobal('fetch', (_: string, { signal, headers }: RequestInit) => {
    sent.push({ isBackground: new Headers(headers).has('X-Switchyard-Background'), signal });
    return new Promise<Response>(() => undefined);
  });
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});

afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a slow answer is not requested again, and the request ends with its screen', async () => {
  const live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(PhasorDiagram, { token: 'token', zone: 'UTC', assetId: 4 }))));
  await act(() => vi.advanceTimersByTimeAsync(45_000));
  expect(sent.map(({ isBackground }) => isBackground)).toEqual([false]);
  await act(async () => root.render(null));
  expect(sent[0]?.signal?.aborted).toBe(true);
});
