// What is sent for an entered value, and its texts.
import { expect, test } from 'vitest';
import { entriesOf, entryText, requestOf, type Draft, type Entry } from './ValueEntry';

const options = {
  equipment: { id: 'Q/FUSE', name: 'Fuse', kind: 'Fuse', stationId: 1, station: 'Q', assetId: null, pointId: null },
  position: { pointId: null, phases: ['A', 'B', 'C'], reported: null },
  measurements: [
    { quantity: 'Vry', unit: 'kV', least: 0, greatest: 20.9, pointId: null },
    { quantity: 'Ir', unit: 'A', least: 0, greatest: 100_000, pointId: 5 },
  ],
};
const draft: Draft = { what: 'Pos', position: 'open', phases: ['B'], value: '', reason: ' seen ', isLasting: false };
const at = '2026-11-27T10:00:00.000Z';
const of = (change: Partial<Draft>) => requestOf({ ...draft, ...change }, options, 'Q/FUSE', at);

test('a position names its phases, and a measurement its unit', () => {
  const common = { reason: 'seen', observed: at, rule: 'untilReported' };
  expect(of({})).toEqual({ equipment: 'Q/FUSE', phases: 'B', position: 'open', ...common });
  expect(of({ phases: ['A', 'B', 'C'] })).toEqual({ equipment: 'Q/FUSE', position: 'open', ...common });
  expect(of({ what: 'Vry ', value: '10,8' })).toEqual({ equipment: 'Q/FUSE', quantity: 'Vry', value: 10.8, unit: 'kV', ...common });
  expect(of({ what: 'Ir 5', value: '410', isLasting: true })).toEqual({ pointId: 5, value: 410, unit: 'A', ...common, rule: 'untilWithdrawn' });
});

test('a position of a source is whether it is present', () => {
  const source = { ...options, equipment: { ...options.equipment, id: 'Q/G', name: 'Grid', kind: 'EnergySource' }, position: { pointId: null, phases: [], reported: null } };
  const common = { reason: 'seen', observed: at, rule: 'untilReported' };
  expect(requestOf({ ...draft, phases: [], position: 'closed' }, source, 'Q/G', at)).toEqual({ equipment: 'Q/G', position: 'closed', ...common });
  expect(requestOf({ ...draft, position: null }, source, 'Q/G', at)).toMatch(/present/);
  const entry = { quantity: 'Pos', value: null, unit: '', position: 'open', phases: '', equipment: source.equipment, assetId: null } as unknown as Entry;
  expect(entryText(entry)).toBe('Gone');
  expect(entryText({ ...entry, position: 'closed' })).toBe('Present');
  expect(entriesOf({ name: 'Grid', equipment: 'Q/G', assetId: null }, [entry])).toEqual([entry]);
});

test('says what is missing', () => {
  expect(of({ position: null })).toMatch(/position/);
  expect(of({ reason: ' ' })).toMatch(/reason/);
  expect(of({ what: 'Vry ', value: 'high' })).toMatch(/number/);
});

test('the panel has the measurements of the device with their units', () => {
  const entry = { quantity: 'Vry', value: 10.8, unit: 'kV', position: null, phases: '', equipment: options.equipment, assetId: null } as unknown as Entry;
  const device = { name: 'Fuse', equipment: 'Q/FUSE', assetId: null };
  expect(entriesOf(device, [entry, { ...entry, quantity: 'Pos' }])).toEqual([entry]);
  expect(entriesOf({ ...device, equipment: 'Q/OTHER' }, [entry])).toEqual([]);
  expect(entryText(entry)).toBe('10.8 kV');
  expect(entryText({ ...entry, position: 'open', phases: 'B' })).toBe('Open in phase B');
});
