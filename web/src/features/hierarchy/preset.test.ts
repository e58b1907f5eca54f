// Tests of places in an address: one pair is a division, two a substation, three an asset; anything else is invalid.
import { expect, test } from 'vitest';
import { readPreset, writePreset } from './preset';

test.each([
  ['divId=4', { level: 'division', id: 4, substation: null }],
  ['divId=4&asptId=17', { level: 'substation', id: 17, substation: 17 }],
  ['divId=4&asptId=17&asstId=33', { level: 'asset', id: 33, substation: 17 }],
  ['divId=4,asptId=17,asstId=33', { level: 'asset', id: 33, substation: 17 }],
])('%s', (text, expected) => {
  expect(readPreset(`?q=${encodeURIComponent(btoa(text))}`)).toEqual(expected);
  expect(readPreset(`?${btoa(text)}`)).toEqual(expected);
});

test.each(['divId=4&asptId=17&asstId=33', 'divId=4&asptId=17&asstId=331', 'divId=4&asptId=17&asstId=3312'])('%s survives a change of other parts of the address', (text) => {
  const query = new URLSearchParams(`?${btoa(text)}`);
  query.set('asset', '33');
  expect(readPreset(`?${query}`)).toEqual(readPreset(`?${btoa(text)}`));
  expect(readPreset(`?${query}`)?.level).toBe('asset');
});

test('what is written is read', () => {
  expect(readPreset(writePreset(4, 17, 33))).toEqual({ level: 'asset', id: 33, substation: 17 });
  expect(readPreset(writePreset(4, null, 33))).toEqual({ level: 'division', id: 4, substation: null });
});

test.each(['', '?', '?tab=ee.energy', '?q=', '?q=%%%', `?q=${btoa('asptId=1')}`, `?q=${btoa('divId=-1')}`, `?q=${btoa('divId=1e9')}`, `?q=${btoa('divId=<b>')}`, `?q=${'A'.repeat(500)}`])('%s is no place', (search) => {
  expect(readPreset(search)).toBeNull();
});
