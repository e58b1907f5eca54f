// Tests of the server that a browser uses.
// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest';
import { chooseServer, chosenServer, heldServer, offeredServers } from './servers';

const SERVERS = [
  { key: 'main', name: 'Main' },
  { key: 'north', name: 'North' },
];

afterEach(() => chooseServer(''));

test('the first server has no key', () => {
  expect(offeredServers(SERVERS)).toEqual([{ key: '', name: 'Main' }, { key: 'north', name: 'North' }]);
  expect(offeredServers([])).toEqual([]);
});

test('a choice is kept as raw text, and the first server removes it', () => {
  chooseServer('north');
  expect(document.cookie).toContain('switchyard-server=north');
  expect([heldServer(), chosenServer(SERVERS)]).toEqual(['north', 'north']);
  chooseServer('');
  expect([heldServer(), chosenServer(SERVERS)]).toEqual(['', '']);
});

test('a key that the list no longer has, or that is no key, selects the first server', () => {
  for (const cookie of ['switchyard-server=south', 'switchyard-server=main', 'switchyard-server=%E0%A4%A', 'a=b']) expect(chosenServer(SERVERS, cookie)).toBe('');
});
