// Tests of the decimals of measured values.
import { expect, test } from 'vitest';
import { decimalsOf, isLowVoltage, measured } from './measured';

test('decimals follow the unit of the heading, or what the column is', () => {
  expect([decimalsOf('Ir', 'Ir (A)'), decimalsOf('V', 'V (kV)'), decimalsOf('Pf', 'Pf (pf)'), decimalsOf('tapPosition', 'Tap Position'), decimalsOf('ThdVr', 'ThdVr (%)'), decimalsOf('X', 'X')]).toEqual([0, 2, 3, 0, 2, 2]);
});

test('what is absent is a dash, and a text stays a text', () => {
  expect([measured(null, 'Ir', 'Ir (A)'), measured('PTR', 'assetType', 'Asset Type'), measured(-3.456, 'P', 'P (MW)')]).toEqual(['–', 'PTR', '−3.46']);
});

test('a device number has no decimals, and digits are in groups', () => {
  expect(measured(8, 'deviceId', 'Device Id')).toBe('8');
  expect(measured(306_974.255, 'EImp', 'EImp (MWh)')).toBe('306,974.3');
  expect(measured(-1_234.5, 'Q', 'Q (MVAr)')).toBe('−1,234.50');
});

test('values below 1 kV are in kW and V, and say so', () => {
  const lights = { Vry: 0.431, Vr: 0.249, P: 0.0214 };
  expect(isLowVoltage(lights)).toBe(true);
  expect(measured(lights.P, 'P', 'P (MW)', true)).toBe('21.4 kW');
  expect(measured(lights.Vry, 'Vry', 'Vry (kV)', true)).toBe('431 V');
  expect(measured(57.4, 'Ir', 'Ir (A)', true)).toBe('57');
  expect([isLowVoltage({ Vry: 10.9 }), isLowVoltage({ Vry: 0 }), isLowVoltage({ P: 0.02 })]).toEqual([false, false, false]);
});
