// The elements on which confirmed positions are shown.
import { expect, test } from 'vitest';
import type { Drawing } from '../wire/sld';
import { withEntries, type ManualEntry } from './entries';

const entry = (equipment: object, more: Partial<ManualEntry> = {}): ManualEntry => ({
  id: 7,
  equipment: { id: 'Q/F1/U1/SW-A', name: 'SW-A', kind: 'LoadBreakSwitch', stationId: 1, station: 'Q', assetId: null, pointId: null, ...equipment },
  name: 'SW-A',
  stationId: 1,
  station: 'Q',
  assetId: null,
  pointId: null,
  quantity: 'Pos',
  position: 'open',
  value: null,
  unit: '',
  phases: '',
  observed: '2026-11-27T10:00:00Z',
  rule: 'untilReported',
  reportedPosition: null,
  reportedValue: null,
  reason: 'seen',
  by: 'Asha Rao',
  entered: '2026-11-27T10:00:00Z',
  counts: true,
  ...more,
});
const drawing = (element: object): Drawing => ({ name: 'd', size: { width: 1, height: 1 }, points: {}, elements: [{ id: 'e', class: 'loadBreakSwitch', ...element }] }) as unknown as Drawing;
const confirmed = (element: object, entries: readonly ManualEntry[]) => withEntries(drawing(element), entries)?.elements[0]?.confirmed;

test('finds the element by equipment, by point, and by asset', () => {
  const expected = { id: 7, position: 'open', phases: '', by: 'Asha Rao', reason: 'seen', observed: '2026-11-27T10:00:00Z', isLasting: false, reported: null };
  expect(confirmed({ equipment: 'Q/F1/U1/SW-A' }, [entry({})])).toEqual(expected);
  expect(confirmed({ position: { pointId: 3 } }, [entry({}, { pointId: 3 })])).toEqual(expected);
  expect(confirmed({ class: 'isolator', assetId: 4 }, [entry({}, { assetId: 4 })])).toEqual(expected);
});

test('marks no other element, and none if a report counts instead', () => {
  expect(confirmed({ equipment: 'Q/F1/U1/SW-B' }, [entry({}, { assetId: 4 })])).toBeUndefined();
  expect(confirmed({ class: 'ct', assetId: 4 }, [entry({}, { assetId: 4 })])).toBeUndefined();
  expect(confirmed({ equipment: 'Q/F1/U1/SW-A' }, [entry({}, { counts: false })])).toBeUndefined();
  const plain = drawing({});
  expect(withEntries(plain, [])).toBe(plain);
});

test('a blown phase is shown before the other phases, and a measurement is no position', () => {
  const blown = entry({}, { id: 8, phases: 'B', rule: 'untilWithdrawn', reportedPosition: 'closed' });
  const closed = entry({}, { id: 9, position: 'closed' });
  expect(confirmed({ equipment: 'Q/F1/U1/SW-A' }, [closed, blown])).toMatchObject({ id: 8, phases: 'B', isLasting: true, reported: 'closed' });
  expect(confirmed({ equipment: 'Q/F1/U1/SW-A' }, [entry({}, { quantity: 'Vry', position: null, value: 10.8, unit: 'kV' })])).toBeUndefined();
});
