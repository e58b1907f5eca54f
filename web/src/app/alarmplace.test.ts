// Tests that an alarm leads to its switch on the diagram, and to its feeder in the tables.
import { expect, test } from 'vitest';
import type { AlarmRow } from '../wire/monitoring';
import { placeOf } from './AlarmPanel';

const alarm = (assetId: number | null, pointId: number | null) => ({ locationId: 17, assetId, pointId }) as AlarmRow;

test('an alarm leads to the switch that alarmed, and to its feeder', () => {
  expect(placeOf(alarm(3, 5))).toBe('/dashboard?location=17&tab=sld&asset=3&point=5');
});

test('an alarm of a substation leads to its diagram', () => {
  expect(placeOf(alarm(null, null))).toBe('/dashboard?location=17&tab=sld');
});
