// Tests of the levels that a user may select, and of the calls that list their nodes.
import { expect, test } from 'vitest';
import { assetTypes, levelsOf } from './levels';

const role = (levelName: string, roleId: number) => ({ levelName, roleId, tabsList: 'Energy, Demand' });
const person = (roleId: number) => ({ id: 7, roleId, clientId: 16, clientName: 'U' });

test('the super user lists by utility, others by person, and nobody is offered what lies above them', () => {
  const all = [role('SuperUser', 1), role('ClientAdmin', 2), role('CircleAdmin', 3), role('SubstationAdmin', 8)];
  expect(levelsOf(person(1), all, null, 'FAULT').map(({ key, path }) => [key, path])).toEqual([
    ['client', null],
    ['circle', 'circle/circlesbyclient/16'],
    ['substation', 'substation/substationsbyclient/16'],
    ['asset', 'asset/assetsbyclient/16/1,4'],
  ]);
  expect(levelsOf(person(8), all.slice(3), null, 'ASSET').map(({ key, path }) => [key, path])).toEqual([
    ['substation', 'substation/substationsbyuser/7'],
    ['asset', 'asset/assetsbyuser/7/2,5'],
  ]);
});

test('a level is called what the utility calls it, and brings the tabs of its role', () => {
  const labels = { circle: 'Zone', division: '', town: '', subdivision: '', section: '', substation: '', asset: '' };
  const [circle, asset] = levelsOf(person(3), [role('CircleAdmin', 3)], labels, 'FAULT');
  expect([circle?.name, circle?.tabs, asset?.name, asset?.tabs]).toEqual(['Zone', ['Energy', 'Demand'], 'Asset', null]);
});

test('asset types by application', () => {
  expect(['ASSET', 'REPORT_EXPORT', 'FAULT', 'ENERGY_EFFICIENCY'].map(assetTypes)).toEqual(['2,5', '1,4,2,5', '1,4', '1,4']);
});
