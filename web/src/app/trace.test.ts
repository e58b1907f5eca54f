// @vitest-environment jsdom
// What is traced for a device, the words for it, and the addresses of abnormal switches.
import { expect, test } from 'vitest';
import { diagramOf } from './AbnormalScreen';
import { highlightText, subjectOf } from './useTrace';
import type { Trace } from '../features/station/FedFrom';

const equipment = { id: 'Q/G', name: '132 kV Grid', kind: 'EnergySource', stationId: 1, station: 'Quayside', assetId: null, pointId: null };
const side = { state: 'energised', isFed: true, source: equipment, feeder: null, path: { count: 0, listed: [] } };
const trace: Trace = {
  equipment,
  sides: [side, side, { ...side, isFed: false, source: null }],
  feeds: { extent: { nodes: 3, customers: 1_200, loadKw: 5 }, transformers: 1, equipment: { count: 0, listed: [] }, load: { measuredKw: 0, measurements: 0, unmeasuredKw: 5 } },
  drawn: null,
};

test('a device is traced by its position, else by its equipment, else by its asset', () => {
  expect(subjectOf({ pointId: 7, equipment: 'Q/F1CB', assetId: 2 })).toBe('point=7');
  expect(subjectOf({ pointId: null, equipment: 'Q/F1/U3', assetId: 2 })).toBe('equipment=Q%2FF1%2FU3');
  expect(subjectOf({ pointId: null, equipment: null, assetId: 2 })).toBe('asset=2');
  expect(subjectOf({ pointId: null, equipment: null, assetId: null })).toBeNull();
});

test('a highlight names each source once, and the customers', () => {
  expect(highlightText('path', 'F1CB', trace)).toBe('Path from 132 kV Grid to F1CB');
  expect(highlightText('feeds', 'F1CB', trace)).toBe('What F1CB feeds: 1,200 customers');
  expect(highlightText('path', 'F1CB', { ...trace, sides: [{ ...side, source: null }] })).toBe('Path from a source outside of your area to F1CB');
});

test('an abnormal switch is shown on the diagram of its feeder, else of its substation', () => {
  const of = { ...equipment, id: 'Q/F1/U3/SW-A' };
  expect(diagramOf({ equipment: of, feederId: 'Q/F1' })).toBe('/sld/feeder?id=Q%2FF1&device=Q%2FF1%2FU3%2FSW-A');
  expect(diagramOf({ equipment: { ...of, pointId: 9, assetId: 4 }, feederId: null })).toBe('/dashboard?location=1&tab=sld&point=9');
  expect(diagramOf({ equipment: { ...of, assetId: 4 }, feederId: null })).toBe('/dashboard?location=1&tab=sld&asset=4');
  expect(diagramOf({ equipment: { ...of, stationId: null }, feederId: null })).toBeNull();
});
