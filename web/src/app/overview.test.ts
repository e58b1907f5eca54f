// Tests of the totals of substations.
import { expect, test } from 'vitest';
import { deadText } from './overview';

const dead = (assetName: string, customers: number | null, feedsSubstation = false) => ({ assetId: 1, assetName, customers, feedsSubstation });
const row = (name: string, ...deadFeeders: ReturnType<typeof dead>[]) => ({ name, deadFeeders });

test('a dead feeder for which nobody is counted is named with the reason', () => {
  expect(deadText([])).toBe('feeders dead: 0');
  expect(deadText([row('Harbour', dead('F1', 120))])).toBe('feeders dead: 1');
  expect(deadText([row('Harbour', dead('F7 Spare', 0))])).toBe('feeders dead: 1; F7 Spare, Harbour: supplies no customers');
  expect(deadText([row('Harbour', dead('F1', 120)), row('Docks', dead('F2', null))])).toBe('feeders dead: 2; F2, Docks: its number of customers is not entered');
});

test('a feeder to another substation is named as one, whatever customers are entered for it', () => {
  for (const customers of [null, 0, 5_000]) {
    const text = 'feeders dead: 1; F8, Samudra: supplies another substation, whose customers are counted there';
    expect(deadText([row('Samudra', dead('F8', customers, true))])).toBe(text);
  }
});

test('at most two are named', () => {
  const text = deadText([row('Harbour', ...['F1', 'F2', 'F3', 'F4'].map((name) => dead(name, 0)))]);
  expect(text).toBe('feeders dead: 4; F1, Harbour: supplies no customers; F2, Harbour: supplies no customers; 2 more without customers');
});
