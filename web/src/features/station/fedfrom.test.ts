// The texts of what feeds a device and what it feeds.
import { expect, test } from 'vitest';
import { byText, loadText, sideText } from './FedFrom';

const equipment = (name: string, station: string | null) => ({ id: name, name, kind: 'Breaker', stationId: 1, station, assetId: null, pointId: null });
const path = { count: 0, listed: [] };

test('names source and feeder of a side', () => {
  const side = { state: 'energised', isFed: true, source: equipment('132 kV Grid', 'Samudra'), feeder: equipment('F1 CB', 'Quayside'), path };
  expect(sideText(side)).toBe('132 kV Grid, Samudra, over F1 CB, Quayside');
});

test('names nothing outside of the area, and no source of a dead side', () => {
  expect(sideText({ state: 'energised', isFed: true, source: null, feeder: null, path })).toBe('outside of your area');
  expect(sideText({ state: 'dead', isFed: false, source: null, feeder: null, path })).toBe('no known source (dead)');
});

test('says that only a measurement says so, and what contradicts it', () => {
  const side = { state: 'energised', isFed: true, isLiveByMeasurement: true, contradiction: 'measuredLive', source: null, feeder: null, path };
  expect(sideText(side)).toBe('live by a measured voltage; the source is not known. It has voltage although by the positions of the switches nothing feeds it: check them');
  const fed = { state: 'energised', isFed: true, contradiction: 'measuredDead', source: equipment('Grid', null), feeder: null, path };
  expect(sideText(fed)).toBe('Grid. Its measured voltage is zero: check the measurement and the positions');
});

test('the present load says whether it is measured', () => {
  expect(loadText({ measuredKw: 2_400, measurements: 1, unmeasuredKw: 0 })).toBe('2.4 MW now, measured');
  expect(loadText({ measuredKw: 0, measurements: 0, unmeasuredKw: 310 })).toBe('0.310 MW connected load; no power is measured here');
  expect(loadText({ measuredKw: 2_400, measurements: 2, unmeasuredKw: 310 })).toBe('2.4 MW now, measured, and 0.310 MW connected load where no power is measured');
});

test('says on how many positions the supply depends that nothing reports', () => {
  expect(byText({ assumed: 3, entered: 1 })).toBe('by assumed positions: 3, by entered positions: 1');
  expect(byText({})).toBe('');
});
