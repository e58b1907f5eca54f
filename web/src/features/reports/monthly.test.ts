// Tests of the number of places of the monthly performance report: the limit is shown before the request.
import { expect, test } from 'vitest';
import { missingOfMonthly } from './monthly';

const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test.each([
  ['no level', null, 0, 'Please select a report level.'],
  ['no place', 'substation', 0, 'Please select a place.'],
  ['one place', 'substation', 1, ''],
  ['ten of them', 'substation', 10, ''],
  ['eleven', 'division', 11, 'Please select up to 10 places.'],
  ['one feeder', 'asset', 1, ''],
  ['two feeders, of which a report has one', 'asset', 2, 'This report is about one place. Please select one.'],
] as const)('%s', (_, level, count, says) => {
  expect(missingOfMonthly(level, ids(count))).toBe(says);
});
