// Tests of the decimals of measured values.
import { expect, test } from 'vitest';
import { decimalsOf, measured } from './measured';

test('decimals follow the unit of the heading, or what the column is', () => {
  expect([decimalsOf('Ir', 'Ir (A)'), decimalsOf('V', 'V (kV)'), decimalsOf('Pf', 'Pf (pf)'), decimalsOf('tapPosition', 'Tap Position'), decimalsOf('ThdVr', 'ThdVr (%)'), decimalsOf('X', 'X')]).toEqual([0, 2, 3, 0, 2, 2]);
});

test('what is absent is a dash, and a text stays a text', () => {
  expect([measured(null, 'Ir', 'Ir (A)'), measured('PTR', 'assetType', 'Asset Type'), measured(-3.456, 'P', 'P (MW)')]).toEqual(['–', 'PTR', '−3.46']);
});
