// The elements on which confirmed positions are shown.
import { expect, test } from 'vitest';
import type { Drawing } from '../wire/sld';
import { withEntries, type ManualEntry } from './entries';

const entry = (equipment: Partial<ManualEntry['equipment']>, more: Partial<ManualEntry> = {}): ManualEntry => ({
  id: 7,
  equipment: { id: 'Q/F1/U1/SW-A', name: 'SW-A', kind: 'LoadBreakSwitch', stationId: 1, station: 'Q', assetId: null, pointId: null, ...equipment },
  quantity: 'Pos',
  position: 'open',
  reason: 'seen',
  by: 'Asha Rao',
  entered: '2026-11-27T10:00:00Z',
  counts: true,
  ...more,
});
const drawing = (element: object): Drawing => ({ name: 'd', size: { width: 1, height: 1 }, points: {}, elements: [{ id: 'e', class: 'loadBreakSwitch', ...element }] }) as unknown as Drawing;
const confirmed = (element: object, entries: readonly ManualEntry[]) => withEntries(drawing(element), entries)?.elements[0]?.confirmed;

test('finds the element by equipment, by point, and by asset', () => {
  const expected = { id: 7, position: 'open', by: 'Asha Rao', reason: 'seen', entered: '2026-11-27T10:00:00Z' };
  expect(confirmed({ equipment: 'Q/F1/U1/SW-A' }, [entry({})])).toEqual(expected);
  expect(confirmed({ position: { pointId: 3 } }, [entry({ pointId: 3 })])).toEqual(expected);
  expect(confirmed({ class: 'isolator', assetId: 4 }, [entry({ assetId: 4 })])).toEqual(expected);
});

test('marks no other element, and none if a report counts instead', () => {
  expect(confirmed({ equipment: 'Q/F1/U1/SW-B' }, [entry({ assetId: 4 })])).toBeUndefined();
  expect(confirmed({ class: 'ct', assetId: 4 }, [entry({ assetId: 4 })])).toBeUndefined();
  expect(confirmed({ equipment: 'Q/F1/U1/SW-A' }, [entry({}, { counts: false })])).toBeUndefined();
  const plain = drawing({});
  expect(withEntries(plain, [])).toBe(plain);
});
