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
