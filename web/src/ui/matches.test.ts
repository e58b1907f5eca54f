// Tests of the search for a few letters.
import { expect, test } from 'vitest';
import { matches } from './matches';

const entries = [
  { name: 'F2 Fish Market CB', detail: '33/11 kV Quayside' },
  { name: '33/11 kV Quayside', detail: 'Harbour division' },
  { name: 'F2 Mill Road CB', detail: '33/11 kV Mill' },
];

test.each([
  ['quay', ['33/11 kV Quayside', 'F2 Fish Market CB']],
  ['f2 quay', ['F2 Fish Market CB']],
  ['mill', ['F2 Mill Road CB']],
  ['nothing', []],
  ['  ', ['F2 Fish Market CB', '33/11 kV Quayside', 'F2 Mill Road CB']],
])('%s', (typed, names) => {
  expect(matches(entries, typed).map(({ name }) => name)).toEqual(names);
});

// A place below another one has the other one's name in its detail.
const places = [
  { name: '132/33 kV Samudra', detail: 'Harbour › Quayside › Quayside Section › 132/33 kV Samudra' },
  { name: '33/11 kV Quayside', detail: 'Harbour › Quayside › Quayside Section › 33/11 kV Quayside' },
];

test('a place by its own name comes before places that only lie below such a name', () => {
  expect(matches(places, 'Quayside')[0]?.name).toBe('33/11 kV Quayside');
  expect(matches(places, 'quay')[0]?.name).toBe('33/11 kV Quayside');
});

test('the whole name comes before a longer name, and a start of a word before the inside of a word', () => {
  const named = (...names: string[]) => names.map((name) => ({ name, detail: '' }));
  expect(matches(named('F1 Mill Road', 'F1 Mill'), 'f1 mill')[0]?.name).toBe('F1 Mill');
  expect(matches(named('33/11 kV Windmill', '33/11 kV Mill'), 'mill')[0]?.name).toBe('33/11 kV Mill');
});
