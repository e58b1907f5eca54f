// @vitest-environment jsdom
// Tests of the alarm line: losing the alarm service, and an alarm that is raised again.
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { LiveContext, type Live } from '../../live/live';
import { Feed } from '../../live/feed';
import type { AlarmRow } from '../../wire/monitoring';
import { AlarmBar } from './AlarmBar';
import { AlarmSound } from './sound';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const row = (id: number, more: Partial<AlarmRow>): AlarmRow => ({
  id, kind: 'trip', priority: 1, state: 'active_unacked', pointId: 1, assetId: 1, assetName: `F${id}`, locationId: 1, locationName: 'Mill', text: 'Breaker tripped', value: null, limit: null, unit: '',
  customers: 0, raised: '2026-11-01T11:59:00Z', cleared: null, acknowledged: null, acknowledgedBy: null, shelvedUntil: null, shelvedBy: null, shelvedReason: null, owner: null, note: null, count: 1, causeId: null, offset: id, ...more,
});

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

/** The alarm line with a feed that holds rows, and with an alarm service that works or does not. */
function bar(rows: readonly AlarmRow[], works = true) {
  const state = { works };
  const listeners = new Set<() => void>();
  const connection = {
    onLink: (listener: () => void) => (listeners.add(listener), () => listeners.delete(listener)),
    link: () => LINK,
    alarmsWorking: () => state.works,
    clock: { subscribe: () => () => undefined, now: () => NOW },
  };
  const feed = new Feed<AlarmRow>({ key: ({ id }) => id, isGone: (alarm) => alarm.state === 'normal' }, (run) => void setTimeout(run, 0));
  feed.replace(rows);
  const at = document.createElement('div');
  document.body.append(at);
  const root = createRoot(at);
  act(() =>
    root.render(
      createElement(
        LiveContext,
        { value: { connection } as unknown as Live },
        createElement(AlarmBar, { feed, token: '', zone: 'UTC', readOnly: false, outside: () => '', onOpen: () => undefined, onShow: () => undefined }),
      ),
    ),
  );
  const line = () => at.querySelector<HTMLElement>('[data-testid=alarm-bar]');
  return {
    line,
    press: (id: string) => act(async () => at.querySelector<HTMLElement>(`[data-testid=${id}]`)?.click()),
    add: (added: readonly AlarmRow[]) =>
      act(async () => {
        const changed = new Promise<void>((done) => feed.subscribe(done));
        feed.add(added);
        await changed;
      }),
    lose: () => act(() => {
      state.works = false;
      for (const listener of listeners) listener();
    }),
  };
}

const LINK = { up: true, since: null };

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

test('losing the alarm service is shown on the alarm bar, and an empty bar does not look quiet', () => {
  const { line, lose } = bar([]);
  expect(line()?.textContent).toContain('No active alarms');
  lose();
  expect(line()?.dataset).toMatchObject({ live: 'false', down: 'true' });
  expect(line()?.querySelector('[role=alert]')?.textContent).toMatch(/alarm service is offline/);
  expect(line()?.textContent).not.toContain('No active alarms');
});

test('an alarm that is raised again comes to the front of the line with its time and count', async () => {
  const { line, add } = bar([row(1, { raised: '2026-11-01T10:00:00Z', state: 'cleared_unacked' }), row(2, {})]);
  expect(line()?.textContent).toContain('F2');
  await add([row(1, { raised: '2026-11-01T11:59:58Z', count: 3, offset: 9 })]);
  expect(line()?.querySelector('[data-testid=alarm-first]')?.textContent).toBe('Mill, F1, Breaker tripped ×3');
  expect(line()?.querySelector('b')?.textContent).toContain('11:59:58');
});

test('a silenced alarm that is raised again sounds again', async () => {
  vi.spyOn(AlarmSound.prototype, 'enable').mockResolvedValue(true);
  const sounds = vi.spyOn(AlarmSound.prototype, 'follow');
  const { add, press } = bar([row(1, { priority: 2, state: 'cleared_unacked' })]);
  await press('sound-on');
  expect(sounds).toHaveBeenLastCalledWith(2);
  await press('sound-silence');
  expect(sounds).toHaveBeenLastCalledWith(null);
  await add([row(1, { priority: 2, raised: '2026-11-01T11:59:58Z', count: 2, offset: 9 })]);
  expect(sounds).toHaveBeenLastCalledWith(2);
});
