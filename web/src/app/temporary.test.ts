// The elements on which jumpers, cuts and portable earths are shown, and the places of their marks.
import { expect, test } from 'vitest';
import { markPlace } from '../features/diagram/symbols/temporary';
import type { Drawing, Element } from '../wire/sld';
import { countedByStation, withTemporary, type TemporaryChange } from './temporary';

const change = (equipment: string, element: string | null, more: Partial<TemporaryChange> = {}): TemporaryChange => ({
  id: 12,
  kind: 'portableEarth',
  phases: 'ABC',
  place: 'F1, end 2, Quayside',
  at: [{ equipment: { id: equipment, name: equipment, kind: 'Breaker', stationId: 1, station: 'Quayside', assetId: null, pointId: null }, terminal: 2, end: 1, element }],
  stationId: 1,
  station: 'Quayside',
  reason: 'work',
  seenDead: false,
  by: 'Asha Rao',
  placed: '2026-11-27T10:00:00Z',
  counts: true,
  problem: null,
  removal: null,
  ...more,
});
const drawing = (element: object): Drawing => ({ name: 'd', size: { width: 1, height: 1 }, points: {}, elements: [{ id: 'e', class: 'breaker', ...element }] }) as unknown as Drawing;
const shown = (element: object, changes: readonly TemporaryChange[]) => withTemporary(drawing(element), changes)?.elements[0]?.temporary;

test('finds the element by its equipment, or by its id on the diagram of a substation', () => {
  const expected = [{ id: 12, kind: 'portableEarth', isDrawn: true, place: 'F1, end 2, Quayside', by: 'Asha Rao', reason: 'work', placed: '2026-11-27T10:00:00Z' }];
  expect(shown({ equipment: 'Q/F1' }, [change('Q/F1', null)])).toEqual(expected);
  expect(shown({}, [change('Q/F1', 'e')])).toEqual(expected);
});

test('marks no other element, and nothing that has no effect', () => {
  expect(shown({ equipment: 'Q/F2' }, [change('Q/F1', 'e')])).toBeUndefined();
  expect(shown({ equipment: 'Q/F1' }, [change('Q/F1', null, { counts: false, problem: 'node x does not exist' })])).toBeUndefined();
  const plain = drawing({});
  expect(withTemporary(plain, [])).toBe(plain);
});

test('of the elements at one place, one is drawn with the mark', () => {
  const at = change('Q/F1', null).at[0];
  if (!at) throw new Error('a place');
  const line = { ...at, equipment: { ...at.equipment, id: 'Q/L' } };
  const elements = [{ id: 'l', class: 'line', equipment: 'Q/L' }, { id: 'b', class: 'breaker', equipment: 'Q/F1' }];
  const shown = withTemporary({ ...drawing({}), elements } as unknown as Drawing, [change('Q/F1', null, { at: [line, at] })]);
  expect(shown?.elements.map(({ temporary }) => temporary?.map(({ isDrawn }) => isDrawn))).toEqual([[false], [true]]);
});

test('a mark is in the middle of its line, else below its symbol', () => {
  const line = { id: 'l', class: 'line', path: [[0, 0], [100, 0]] } as unknown as Element;
  expect(markPlace(line)).toEqual({ x: 50, y: 0 });
  expect(markPlace({ id: 'b', class: 'breaker', x: 50, y: 50 } as Element)).toEqual({ x: 29, y: 59 });
});

test('a mark is at that end of its symbol at which the change is', () => {
  const at = change('Q/F1', null).at[0];
  if (!at) throw new Error('a place');
  const beside = { ...at, equipment: { ...at.equipment, id: 'Q/L' } };
  const marked = (path: readonly (readonly number[])[]) => {
    const elements = [{ id: 'b', class: 'breaker', equipment: 'Q/F1', x: 50, y: 50 }, { id: 'l', class: 'line', equipment: 'Q/L', path }];
    const shown = withTemporary({ ...drawing({}), elements } as unknown as Drawing, [change('Q/F1', null, { at: [at, beside] })])?.elements[0];
    return shown?.temporary?.[0] && markPlace(shown, shown.temporary[0]);
  };
  expect(marked([[60, 50], [200, 50]])).toEqual({ x: 79, y: 59 });
  expect(marked([[40, 50], [0, 50]])).toEqual({ x: 29, y: 59 });
  expect(marked([[50, 60], [50, 200]])).toEqual({ x: 29, y: 71 });
  expect(marked([[50, 40], [50, 0]])).toEqual({ x: 29, y: 29 });
});

test('changes are counted by substation for the map', () => {
  expect([...countedByStation([change('a', null), change('b', null, { counts: false, problem: 'node x does not exist' }), change('c', null, { stationId: null })])]).toEqual([[1, { all: 2, lost: 1 }]]);
});
