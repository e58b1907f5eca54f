// The lines of the confirmation of an operation, from the consequences in the network.
import { expect, test } from 'vitest';
import { consequenceLines, type Consequences } from './consequences';

const nothing = { nodes: 0, customers: 0, loadKw: 0 };
const none: Consequences = {
  equipment: { id: 'S/F1CB', name: 'F1CB', kind: 'Breaker' },
  to: 'open',
  goesDead: nothing,
  goesLive: nothing,
  mayGoDead: nothing,
  mayGoLive: nothing,
  joinsSources: false,
  sources: [],
  liveOnEarth: 0,
  mayBeLiveOnEarth: 0,
  closesLoop: false,
  mayCloseLoop: false,
};

test('names customers and load that lose their supply', () => {
  const lines = consequenceLines({ ...none, goesDead: { nodes: 40, customers: 1_860, loadKw: 3_412 } });
  expect(lines).toEqual([{ text: 'goes dead: 1,860 customers, 3.4 MW', warns: true }]);
});

test('puts dangers first and says what is only possible', () => {
  const lines = consequenceLines({ ...none, to: 'closed', goesLive: { nodes: 2, customers: 0, loadKw: 0 }, mayBeLiveOnEarth: 1, joinsSources: true, mayCloseLoop: true });
  expect(lines.map(({ text }) => text)).toEqual([
    'may energise an earth: a position is not known',
    'joins sources: outside of your area',
    'goes live: 2 nodes without customers',
    'may close a loop: a position is not known',
  ]);
  expect(lines.map(({ warns }) => warns)).toEqual([true, true, false, false]);
});

test('says nothing where nothing changes', () => {
  expect(consequenceLines(none)).toEqual([]);
});
