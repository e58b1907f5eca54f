// Tests of the header's sentence about a substation: live, nothing received now, nothing received yet, network not available.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { ServerClock } from '../live/clock';
import type { Connection } from '../live/connection';
import { Feeds } from '../live/feed';
import { Quality } from '../live/freshness';
import { LiveContext } from '../live/live';
import { LiveStore } from '../live/store';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined })) as unknown as typeof matchMedia;
});
const { Freshness } = await import('./Substation');

test.each([
  ['nothing has reported from here yet', [], false],
  ['nothing has reported from here yet', [Quality.never, Quality.never], false],
  ['nothing reports from here now', [Quality.commLost, Quality.never], false],
  ['live', [Quality.commLost, Quality.good], false],
  ['the network is being loaded or cannot be used: no state of a line is known', [Quality.good], true],
] as const)('the header says "%s" of points of the qualities %o', async (sentence, qualities, isNetworkUnavailable) => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const clock = new ServerClock();
  clock.beat(Date.parse('2026-11-22T14:03:00Z'));
  const up = { up: true, since: null };
  const connection = { clock, link: () => up, onLink: () => () => undefined } as unknown as Connection;
  const points = new LiveStore((run) => run());
  points.apply(qualities.map((quality, index) => [index + 1, quality === Quality.never ? null : 1, quality, 1]));
  const box = document.createElement('div');
  const root = createRoot(box);
  await act(async () => root.render(createElement(LiveContext, { value: { connection, points, feeds: new Feeds(connection) } }, createElement(Freshness, { zone: 'UTC', ready: true, scene: { isNetworkUnavailable: () => isNetworkUnavailable } }))));
  expect(box.textContent).toBe(sentence);
  act(() => root.unmount());
  vi.unstubAllGlobals();
});
