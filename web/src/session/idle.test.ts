// Tests of the idle watch with a simulated clock.
import { expect, test } from 'vitest';
import { IDLE_MS, IdleWatch, WARNING_MS, type IdleState } from './idle';

function world() {
  let now = 0;
  let pending: { at: number; call: () => void } | null = null;
  const told: IdleState[] = [];
  const clock = {
    now: () => now,
    setTimeout: (call: () => void, ms: number) => (pending = { at: now + ms, call }),
    clearTimeout: () => (pending = null),
  };
  const pass = (ms: number) => {
    const until = now + ms;
    while (pending && pending.at <= until) {
      const due: { at: number; call: () => void } = pending;
      pending = null;
      now = due.at;
      due.call();
    }
    now = until;
  };
  return { told, pass, sleep: (ms: number) => (now += ms), watch: new IdleWatch((state) => told.push(state), clock) };
}

test('who is away is warned, and then gone', () => {
  const { told, pass } = world();
  pass(IDLE_MS - WARNING_MS - 1);
  expect(told).toEqual([]);
  pass(1);
  expect(told).toEqual(['warned']);
  pass(WARNING_MS);
  expect(told).toEqual(['warned', 'away']);
});

test('a sign keeps the person in, also after the warning and from another tab', () => {
  const { told, pass, watch } = world();
  pass(IDLE_MS - 1);
  watch.sign();
  expect(told).toEqual(['warned', 'present']);
  pass(IDLE_MS - WARNING_MS - 1_000);
  watch.sign(IDLE_MS);
  pass(1_500);
  expect(told).toEqual(['warned', 'present', 'warned']);
});

test('a machine that slept through the end ends the session, and a late sign does not bring it back', () => {
  const { told, sleep, watch } = world();
  sleep(IDLE_MS * 2);
  watch.sign(0);
  expect(told).toEqual(['away']);
  watch.sign();
  expect(told).toEqual(['away']);
});
