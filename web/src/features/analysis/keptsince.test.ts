// Tests of the text that replaces an empty chart, table or list of a time that is not kept any more.
// @vitest-environment jsdom
import { act, createElement, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { ChartFrame } from '../../charts/ChartFrame';
import { historySource } from '../../charts/history';
import { isEmpty } from '../../charts/model';
import { Facts } from './Facts';
import { Feed } from '../../live/feed';
import { Frame } from '../../table/Frame';
import { keptSinceOf } from '../../wire/rest';

const SINCE = '2026-06-01T00:00:00.000Z';
const AT = Date.parse(SINCE);
const ZONE = 'Asia/Kolkata';

afterEach(() => vi.unstubAllGlobals());

function shown(element: ReactElement): string {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  act(() => root.render(element));
  const text = document.body.textContent;
  act(() => root.unmount());
  document.body.replaceChildren();
  return text;
}

const chart = (keptSince: number | null, isNothing: boolean, zone = ZONE) =>
  createElement(ChartFrame, {
    title: 'Current',
    about: '',
    subject: 'F1',
    zone,
    height: 100,
    table: { heads: [], rows: [] } as never,
    isEmpty: isNothing,
    isLoading: false,
    failure: '',
    onRetry: () => undefined,
    empty: 'No data available',
    keptSince,
    picture: () => null,
    children: 'drawn lines',
  });

test('an empty chart shows since when its values are kept, in the zone of the utility', () => {
  expect(shown(chart(AT, true))).toContain('Kept since 01 Jun 2026');
  expect(shown(chart(AT, true))).not.toContain('No data available');
  expect(shown(chart(AT, true, 'America/New_York'))).toContain('Kept since 31 May 2026');
  expect(shown(chart(null, true))).toContain('No data available');
});

test('a chart that begins before its values are kept shows its values and the date', () => {
  const text = shown(chart(AT, false));
  expect(text).toContain('drawn lines');
  expect(text).toContain('Kept since 01 Jun 2026');
});

test('the answer of a history reaches the chart with its date', async () => {
  const result = { assetId: 7, assetName: 'F1', measure: 'current', timeZone: ZONE, bucketMs: null, source: 'raw', times: [], series: [] };
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ statusCode: 200, result, message: '', keptSince: SINCE })));
  const data = await historySource({ token: 't', assetId: 7 }, 'current').load({ from: 0, to: 1_000 }, 100, new AbortController().signal, false);
  expect([data.keptSince, isEmpty(data)]).toEqual([AT, true]);
  expect([keptSinceOf({}), keptSinceOf({ keptSince: 'soon' })]).toEqual([null, null]);
});

const frame = (feed: Feed<unknown>) =>
  createElement(Frame, {
    title: 'Event log',
    count: feed.size,
    frozenAt: null,
    onFreeze: () => undefined,
    waiting: 0,
    state: feed.state,
    problem: feed.problem,
    empty: feed.size === 0,
    keptSince: feed.keptSince,
    zone: ZONE,
    live: true,
    children: 'the rows',
  });

test('a table of events ends with the date since which events are kept', () => {
  const feed = new Feed<unknown>({ key: (row) => (row as { offset: number }).offset }, () => undefined);
  feed.replace([], undefined, AT);
  expect(shown(frame(feed))).toContain('Kept since 01 Jun 2026');
  feed.replace([{ offset: 1 }], undefined, AT);
  expect(shown(frame(feed))).toMatch(/the rows.*Kept since 01 Jun 2026/);
  feed.replace([], undefined, null);
  expect(shown(frame(feed))).toContain('No data available');
});

test('a list of computed rows shows the date in place of the message for no rows', () => {
  const facts = (keptSince: number | null) =>
    createElement(Facts<{ id: number }>, {
      title: 'Faults',
      name: 'Faults',
      asked: { problem: '', retry: () => undefined },
      rows: [],
      columns: [],
      keyOf: ({ id }) => id,
      zone: ZONE,
      now: () => AT,
      testId: 'faults',
      empty: 'No faults in this span.',
      keptSince,
    });
  expect(shown(facts(AT))).toContain('Kept since 01 Jun 2026');
  expect(shown(facts(AT))).not.toContain('No faults');
  expect(shown(facts(null))).toContain('No faults in this span.');
});
