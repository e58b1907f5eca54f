// The texts of the list of entered values.
import { expect, test } from 'vitest';
import { enteredText, reportedText, ruleText, type EnteredRow } from './EnteredTable';

const row: EnteredRow = { id: 1, equipment: null, name: 'F1', stationId: 1, station: 'Q', assetId: 2, pointId: 3, quantity: 'Ir', position: null, value: 410, unit: 'A', phases: '', reason: 'read', by: 'Asha Rao', observed: '2026-11-27T10:00:00Z', entered: '2026-11-27T10:05:00Z', rule: 'untilReported', counts: true, problem: null, reportedPosition: null, reportedValue: null };

test('says what is entered and what telemetry reports', () => {
  expect(enteredText(row)).toBe('S 410 A');
  expect(enteredText({ ...row, position: 'open', phases: 'B' })).toBe('S Open (B)');
  expect(reportedText(row)).toBe('–');
  expect(reportedText({ ...row, reportedValue: 80.25 })).toBe('80.25 A');
  expect(reportedText({ ...row, reportedPosition: 'closed' })).toBe('Closed');
});

test('says until when an entry counts', () => {
  expect(ruleText(row)).toBe('until a newer report');
  expect(ruleText({ ...row, rule: 'untilWithdrawn' })).toBe('until it is withdrawn');
  expect(ruleText({ ...row, counts: false })).toBe('no: a newer report counts');
  expect(ruleText({ ...row, counts: false, problem: 'The version has no such equipment.' })).toBe('no. The version has no such equipment.');
});
