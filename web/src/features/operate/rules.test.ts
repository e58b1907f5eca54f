// Tests of every reason that disables an item of the menu.
import { expect, test } from 'vitest';
import { Quality } from '../../live/freshness';
import type { CommandRow, TagRow } from '../../wire/control';
import { choices, type Facts } from './rules';

const fine: Facts = { className: 'breaker', di: { ControlAssetReq: 1, IsSBOSupported: 1 }, status: 'CLOSED', quality: Quality.good, linkUp: true, ready: true, canOperate: true, outside: '', tags: [], command: undefined, restSeconds: 0 };
const tag = (kind: TagRow['kind']): TagRow => ({ id: 1, scope: 'device', assetId: 1, bay: '', assetName: '', locationId: 1, kind, holder: 'L. Rao', holderId: 1, reason: 'line work', placedAt: 1 });
const command = (state: CommandRow['state']): CommandRow => ({ commandId: 'c', locationId: 1, assetId: 1, assetName: '', pointId: 1, mode: 'direct', state, fromDIStatus: 2, toDIStatus: 1, toDIText: 'OPEN', operator: 'R. Naidu', memberId: 2, requestedAt: 1, changedAt: 1, message: '', simulated: true, offset: 1 });

test('a breaker that is known and live may be operated in both ways', () => {
  expect(choices(fine)).toEqual({ select: '', direct: '' });
  expect(choices({ ...fine, tags: [tag('caution')], command: command('DONE') })).toEqual({ select: '', direct: '' });
});

test('each way needs its own permission of the device', () => {
  expect(choices({ ...fine, di: { ControlAssetReq: 0, IsSBOSupported: 1 } })).toEqual({ select: '', direct: 'This breaker is not operated directly' });
  expect(choices({ ...fine, di: { ControlAssetReq: 1, IsSBOSupported: 0 } })).toEqual({ select: 'This breaker has no select before operate', direct: '' });
});

test.each([
  ['no breaker', { className: 'isolator' }, /Only breakers/],
  ['no digital input', { di: null }, /Only breakers/],
  ['link lost', { linkUp: false }, /connection/],
  ['no full picture', { ready: false }, /not complete/],
  ['no right', { canOperate: false }, /no right/],
  ['held by another desk', { outside: 'Harbour is held by desk East.' }, /held by desk East/],
  ['never received', { quality: Quality.never }, /never received/],
  ['stale', { quality: Quality.stale }, /not known to be live/],
  ['communication lost', { quality: Quality.commLost }, /not known to be live/],
  ['invalid quality', { quality: Quality.invalid }, /not known to be live/],
  ['intermediate', { status: 'INTERMEDIATE' }, /intermediate/],
  ['invalid', { status: 'INVALID' }, /invalid/],
  ['inhibited', { tags: [tag('caution'), tag('inhibit')] }, /L. Rao: line work/],
  ['it rests', { restSeconds: 7 }, /operated just now.* 7 s/],
  ['somebody at it', { command: command('SELECTED') }, /R. Naidu/],
] as const)('%s', (_, part, words) => {
  const { select, direct } = choices({ ...fine, ...part } as Facts);
  expect(select).toMatch(words);
  expect(direct).toMatch(words);
});
