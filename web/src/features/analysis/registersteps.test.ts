// Tests of refused steps of energy registers: they are listed, and confirmed with a reason.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RegisterSteps } from './RegisterSteps';

/** A response whose body is available after the pending promises have run, because it is not a stream. */
const answered = (body: unknown) => ({ ok: true, status: 200, json: () => Promise.resolve(body) }) as Response;

const STEP = { assetId: 5, assetName: 'F1', pointId: 7, isImport: true, from: '2026-11-27T09:59:00Z', fromKwh: 100_890, at: '2026-11-27T10:00:00Z', atKwh: 5_100_900, amountKwh: 5_000_010, allowedKwh: 1_190.8 };
const CONFIRMED = { confirmedBy: 'A B', confirmed: '2026-11-27T11:00:00Z', note: 'Meter replaced' };

let root: Root;
let stage: HTMLDivElement;
let sent: { path: string; body: unknown }[];
let rows: object[];
const onChanged = vi.fn();

const show = (canConfirm: boolean) =>
  act(async () => root.render(createElement(RegisterSteps, { token: 't', scope: 'location/3', zone: 'Asia/Kolkata', canConfirm, now: () => Date.parse('2026-11-27T12:00:00Z'), onChanged })));

beforeEach(() => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
    this.open = false;
  };
  sent = [];
  rows = [STEP];
  onChanged.mockClear();
  globalThis.fetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    if (init?.method === 'PUT') {
      const body = JSON.parse(String(init.body));
      sent.push({ path: String(input), body });
      rows = [body.isReal ? { ...STEP, ...CONFIRMED } : STEP];
      return answered({ statusCode: 200, message: '', result: body.isReal });
    }
    return answered({ statusCode: 200, message: '', result: { rows, cut: false } });
  }) as typeof fetch;
  stage = document.body.appendChild(document.createElement('div'));
  root = createRoot(stage);
});

afterEach(() => {
  act(() => root.unmount());
  stage.remove();
});

const the = <T extends HTMLElement>(testId: string) => document.querySelector(`[data-testid="${testId}"]`) as T | null;
const click = (testId: string) => act(async () => the(testId)!.click());
const write = (text: string) =>
  act(async () => {
    const input = the<HTMLInputElement>('register-step-note')!;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });

test('a refused step is confirmed with a reason, and the confirmation is withdrawn', async () => {
  await show(true);
  expect(the('register-step')?.textContent).toContain('Refused, does not count');
  expect(the('register-step')?.textContent).toContain('5,000,010');
  await click('register-step-change');
  await click('register-step-send');
  expect([sent.length, document.body.textContent?.includes('Enter the reason.')]).toEqual([0, true]);
  await write(' Meter replaced ');
  await click('register-step-send');
  expect(sent).toEqual([{ path: '/api/analytics/registerstep/5', body: { pointId: 7, at: STEP.at, isReal: true, note: 'Meter replaced' } }]);
  expect([the('register-step')?.textContent?.includes('Confirmed by A B: Meter replaced'), onChanged.mock.calls.length]).toEqual([true, 1]);
  await click('register-step-change');
  await write('Mistake');
  await click('register-step-send');
  expect([sent[1]?.body, the('register-step')?.textContent?.includes('Refused')]).toEqual([{ pointId: 7, at: STEP.at, isReal: false, note: 'Mistake' }, true]);
});

test('who cannot operate confirms nothing, and without steps nothing is shown', async () => {
  await show(false);
  expect([the('register-step') !== null, the('register-step-change')]).toEqual([true, null]);
  rows = [];
  act(() => root.unmount());
  root = createRoot(stage);
  await show(true);
  expect(the('register-steps')).toBeNull();
});
