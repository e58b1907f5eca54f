// Tests that nothing is sent without a fresh status, required credentials, a required selection, and one confirmation.
import { expect, test } from 'vitest';
import type { CommandRow } from '../../wire/control';
import type { BreakerStatus } from '../../wire/rest';
import { next, START, type Event, type Mode, type Step } from './flow';

const status = { operable: true, credentialsRequired: false, changeDIStatus: 1, refusals: [], displayMsg: '' } as unknown as BreakerStatus;
const withProof = { ...status, credentialsRequired: true };
const command = { commandId: 'c1' } as CommandRow;
const run = (mode: Mode, ...events: Event[]): Step => events.reduce<Step>((step, event) => next(mode, step, event), START);

test('direct, without proof', () => {
  expect(run('direct', { kind: 'status', status })).toMatchObject({ at: 'confirm', selected: null, busy: false });
  expect(run('direct', { kind: 'status', status }, { kind: 'send' }, { kind: 'sent' })).toMatchObject({ at: 'closed', trouble: false });
});

test('select before operate, with proof', () => {
  const proof: Event[] = [{ kind: 'status', status: withProof }, { kind: 'prove' }];
  expect(run('select', ...proof)).toMatchObject({ at: 'credentials', busy: true });
  expect(run('select', ...proof, { kind: 'unproved', problem: 'Invalid Credential...' })).toMatchObject({ at: 'credentials', busy: false, problem: 'Invalid Credential...' });
  expect(run('select', ...proof, { kind: 'proved' })).toMatchObject({ at: 'selecting' });
  expect(run('select', ...proof, { kind: 'proved' }, { kind: 'selected', command })).toMatchObject({ at: 'confirm', selected: command });
});

test('a selection that is left is given back, one that was used is not', () => {
  const selected: Event[] = [{ kind: 'status', status }, { kind: 'selected', command }];
  expect(run('select', ...selected, { kind: 'cancel' })).toMatchObject({ at: 'closed', cancel: 'c1' });
  expect(run('select', ...selected, { kind: 'changed', words: 'moved' })).toMatchObject({ at: 'closed', cancel: 'c1', words: 'moved' });
  expect(run('select', ...selected, { kind: 'send' }, { kind: 'sent' })).toMatchObject({ at: 'closed', cancel: null });
  expect(run('select', ...selected, { kind: 'send' }, { kind: 'failed', words: 'refused' })).toMatchObject({ at: 'closed', cancel: null, words: 'refused' });
});

test('what may not be operated is told at once', () => {
  const refused = { ...status, operable: false, refusals: [{ addCause: 10, addCauseName: 'Blocked-by-interlocking', message: 'The earth switch is closed' }] } as BreakerStatus;
  expect(run('direct', { kind: 'status', status: refused })).toMatchObject({ at: 'closed', words: 'The earth switch is closed', trouble: true });
});

test('while an order is on its way nothing takes it back or sends it twice', () => {
  const sending: Event[] = [{ kind: 'status', status }, { kind: 'send' }];
  for (const event of [{ kind: 'send' }, { kind: 'cancel' }, { kind: 'changed', words: 'x' }] as const) expect(run('direct', ...sending, event)).toEqual(run('direct', ...sending));
});

test('whatever the order of events, sending comes only out of the question, and closed stays closed', () => {
  const events: Event[] = [{ kind: 'status', status }, { kind: 'status', status: withProof }, { kind: 'prove' }, { kind: 'proved' }, { kind: 'unproved', problem: 'p' }, { kind: 'selected', command }, { kind: 'send' }, { kind: 'sent' }, { kind: 'failed', words: 'f' }, { kind: 'changed', words: 'c' }, { kind: 'cancel' }];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let trial = 0; trial < 20_000; trial++) {
    const mode: Mode = random(2) === 0 ? 'select' : 'direct';
    let step: Step = START;
    let [proved, asked, sends] = [true, false, 0];
    for (let length = 0; length < 12; length++) {
      const event = events[random(events.length)];
      if (!event) continue;
      const after = next(mode, step, event);
      if (event.kind === 'status' && step.at === 'asking') [proved, asked] = [!event.status.credentialsRequired, true];
      if (event.kind === 'proved' && step.at === 'credentials') proved = true;
      if (after.at === 'confirm' && after.busy && !(step.at === 'confirm' && step.busy)) {
        sends += 1;
        expect(proved && asked && event.kind === 'send' && (mode === 'direct' || after.selected !== null)).toBe(true);
      }
      if (step.at === 'closed') expect(after).toBe(step);
      step = after;
    }
    expect(sends).toBeLessThanOrEqual(1);
  }
});
