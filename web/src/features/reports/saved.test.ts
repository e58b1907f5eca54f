// Tests of saved selections: conversion from and to the form, deleted places, and names.
import { expect, test } from 'vitest';
import type { KeptQuestion } from '../../wire/reports-kept';
import type { ReportBody } from '../../wire/reports';
import { bodyToSave, byName, levelKey, nameFault, NAME_MAX, takenUp, withoutTime } from './saved';

const REPORTS = [
  { ReportId: 2, ReportKey: 'EVENT_LOG' },
  { ReportId: 4, ReportKey: 'LIMIT_VIOLATION' },
];
const question = (more: Partial<KeptQuestion> = {}): KeptQuestion => ({ report: 'EVENT_LOG', reportType: 'historic', level: 'location', levelId: [7, 8], frequency: 6, frequencyValue: '2026-11-01,2026-11-21', excludeMomentary: null, limit: null, quantity: null, sampleMinutes: null, ...more });

test('a saved question is the form that it was made with', () => {
  expect(takenUp(question(), REPORTS)).toEqual({ level: 'substation', nodes: [7, 8], report: 2, type: 'Historic', frequency: 6, parts: { from: '2026-11-01', to: '2026-11-21' }, inputs: {} });
});

test.each([
  [{ excludeMomentary: false }, { excludeMomentary: false }],
  [{ limit: 9 }, { limit: '9' }],
  [{ quantity: 'current' }, { quantity: 'current' }],
  [{ sampleMinutes: 30 }, { sampleMinutes: '30' }],
] as const)('of the inputs %j the form has %j', (kept, inputs) => {
  expect(takenUp(question(kept), REPORTS)?.inputs).toEqual(inputs);
});

test('the present has no frequency, whatever stands beside it', () => {
  expect(takenUp(question({ report: 'LIMIT_VIOLATION', reportType: 'realtime', frequency: 5, frequencyValue: '' }), REPORTS)).toMatchObject({ report: 4, type: 'RealTime', frequency: null, parts: {} });
});

test.each([
  ['a report that is not there any more', { report: 'GONE' }],
  ['a level that this screen does not know', { level: 'continent' }],
] as const)('%s is no form', (_, more) => {
  expect(takenUp(question(more), REPORTS)).toBeNull();
  expect(withoutTime(question(more), REPORTS)).toBeNull();
});

test.each([
  ['client', 'client'],
  ['location', 'substation'],
  ['Substation', 'substation'],
  ['asset', 'asset'],
  ['', null],
])('calls name a level "%s", the lists %s', (name, key) => {
  expect(levelKey(name)).toBe(key);
});

test('what is saved is the question as it is asked, under a name without blanks around it', () => {
  const body: ReportBody = { reportId: 2, reportKey: 'EVENT_LOG', type: 'Historic', level: 'division', levelId: [4], frequency: 7, frequencyValue: { date: '2026-11-22' }, inputs: { limit: 5 } };
  expect(bodyToSave('  Harbour ', body, 'csv')).toEqual({ name: 'Harbour', format: 'csv', question: { report: 'EVENT_LOG', reportType: 'historic', level: 'division', levelId: [4], frequency: 7, frequencyValue: '2026-11-22', limit: 5 } });
});

test.each([
  ['Harbour', null, 'There is a selection of that name already.'],
  [' harbour ', null, 'There is a selection of that name already.'],
  ['Harbour', 1, ''],
  ['Hills', null, ''],
  ['   ', null, 'Please enter a name.'],
  ['x'.repeat(NAME_MAX), null, ''],
  ['x'.repeat(NAME_MAX + 1), null, `Up to ${NAME_MAX} characters.`],
])('the name "%s" of entry %s is told "%s"', (name, own, fault) => {
  expect(nameFault(name, [{ id: 1, name: 'Harbour' }], own)).toBe(fault);
});

test('names come in the order that people look for them', () => {
  expect(byName([{ name: 'b 10' }, { name: 'B 9' }, { name: 'a' }]).map(({ name }) => name)).toEqual(['a', 'B 9', 'b 10']);
});
