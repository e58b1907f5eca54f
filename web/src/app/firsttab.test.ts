// Tests of the tab with which See Details opens.
import { expect, test } from 'vitest';
import { firstWithData } from './firsttab';

const tabs = ['ee.energy', 'ee.reliability', 'ee.demand'].map((key) => ({ key }));

test.each([
  ['the first tab if it has data', ['ee.energy', 'ee.demand'], 'ee.energy'],
  ['the next tab that has data', ['ee.reliability', 'ee.demand'], 'ee.reliability'],
  ['the first tab if none has data', [], 'ee.energy'],
])('opens %s', async (_, withData, expected) => {
  expect(await firstWithData(tabs, (key) => Promise.resolve(withData.includes(key)))).toBe(expected);
});

test('a request that fails is no reason to skip a tab', async () => {
  expect(await firstWithData(tabs, () => Promise.reject(new Error('no answer')))).toBe('ee.energy');
});
