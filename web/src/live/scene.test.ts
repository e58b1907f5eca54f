// Tests of the content of a scene after snapshots, deltas and repeated command states.
import { expect, test, vi } from 'vitest';
import { Scene } from './scene';

const now = (run: () => void) => run();
const command = (commandId: string, state: string, offset: number, more = {}) => ({ commandId, locationId: 1, assetId: 2, assetName: 'CB', pointId: 7, mode: 'direct', state, fromDIStatus: 2, toDIStatus: 1, toDIText: 'OPEN', operator: 'A', memberId: 1, requestedAt: 10, changedAt: 10 + offset, message: '', simulated: true, offset, ...more });
const tag = (id: number, assetId: number) => ({ id, scope: 'device' as const, assetId, bay: '', assetName: 'CB', locationId: 1, kind: 'inhibit' as const, holder: 'A', holderId: 1, reason: 'line work', placedAt: 1, expiresAt: null });

test('a tag on a bay or on the substation covers what is inside', () => {
  const scene = new Scene(now);
  scene.apply({ tags: [{ ...tag(1, 9), scope: 'bay', bay: 'F1' }, { ...tag(2, 0), scope: 'station', assetId: null }] }, true);
  const ids = (asset: number | null, bay?: string) => scene.tags(asset, bay).map(({ id }) => id);
  expect([ids(5, 'F1'), ids(5, 'F2'), ids(9), ids(5), ids(null)]).toEqual([[1, 2], [2], [1, 2], [2], []]);
  expect(scene.stationTags().map(({ id }) => id)).toEqual([2]);
});

test('a delta changes the nodes that it names; tags and flashes come whole', () => {
  const scene = new Scene(now);
  scene.apply({ wiring: 'w', nodes: [[0, 1], [1, 2]], tags: [tag(1, 5), tag(2, 5)], flashes: [[7, 'trip', 3]] }, true);
  scene.apply({ wiring: 'w', nodes: [[1, 1]] }, false);
  expect([scene.node(0, 'w'), scene.node(1, 'w'), scene.node(2, 'w'), scene.node(undefined, 'w')]).toEqual([1, 1, 0, 0]);
  expect(scene.node(0, 'another drawing')).toBe(0);
  expect(scene.tags(5)).toHaveLength(2);
  expect(scene.flash(7)?.[1]).toBe('trip');
  scene.apply({ tags: [], flashes: [] }, false);
  expect([scene.tags(5), scene.flashes()]).toEqual([[], []]);
  scene.apply({ wiring: 'w', nodes: [[1, 1]] }, true);
  expect(scene.node(0, 'w')).toBe(0);
  scene.apply({ wiring: 'v', nodes: [[5, 1]] }, false);
  expect([scene.node(1, 'v'), scene.node(5, 'v'), scene.wiring()]).toEqual([0, 1, 'v']);
});

test('a command is in the newest state that was told, whatever the order', () => {
  const scene = new Scene(now);
  scene.take([command('a', 'ACCEPTED', 3), command('a', 'SENT', 2), { commandId: 'broken' }], true);
  expect(scene.command(7)?.state).toBe('ACCEPTED');
  scene.take([command('b', 'REQUESTED', 4, { requestedAt: 20 })], false);
  expect(scene.command(7)?.commandId).toBe('b');
  expect(scene.commands().map(({ commandId }) => commandId)).toEqual(['b', 'a']);
  expect(scene.command(8)).toBeUndefined();
});

test('listeners are told once for many changes', () => {
  const runs: (() => void)[] = [];
  const scene = new Scene((run) => runs.push(run));
  const listener = vi.fn();
  scene.subscribe(listener);
  scene.apply({}, false);
  scene.take([], false);
  for (const run of runs) run();
  expect(listener).toHaveBeenCalledTimes(1);
});
