// Tests of the screen of operating rights and times: a change is stored only after the credentials of the administrator are accepted.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Operating } from './Operating';

const CONTROL = { enabled: true, stepupAll: false, selectSeconds: 30, feedbackSeconds: 10, isolatorFeedbackSeconds: 30, minIntervalSeconds: 5, burstOperations: 10, burstSeconds: 60, synchronismChecked: ['QUAYSIDE/BC'] };

/** A response whose body is available after the pending promises have run, because it is not a stream. */
const answered = (result: unknown, status = 200, message = '') => ({ ok: status < 400, status, json: () => Promise.resolve({ statusCode: status, message, result }) }) as Response;

let root: Root;
let stage: HTMLDivElement;
let sent: { path: string; method: string; body: unknown }[];
let isRight: boolean;

beforeEach(async () => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
    this.open = false;
  };
  sent = [];
  isRight = false;
  globalThis.fetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const [path, method] = [String(input).replace('/api/', ''), init?.method ?? 'GET'];
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
    if (method !== 'GET') sent.push({ path, method, body });
    if (path === 'admin/members') return answered([{ firstName: 'Asha', lastName: 'Rao', username: 'asha', canOperate: true }, { firstName: 'Ben', lastName: 'Roy', username: 'ben', canOperate: false }]);
    if (path === 'sld/validatecredentialsfordocontrol') return isRight ? answered(true) : answered(null, 401, 'Wrong password');
    return answered(method === 'PUT' ? body : { name: 'One', logo: 'kept', control: CONTROL });
  }) as typeof fetch;
  stage = document.body.appendChild(document.createElement('div'));
  root = createRoot(stage);
  await act(async () => root.render(createElement(Operating, { token: 't', username: 'one-admin', onMembers: () => undefined })));
});

afterEach(() => {
  act(() => root.unmount());
  stage.remove();
});

const the = <T extends HTMLElement>(testId: string) => document.querySelector(`[data-testid="${testId}"]`) as T;
const click = (testId: string) => act(async () => the(testId).click());
const write = (testId: string, text: string) =>
  act(async () => {
    const input = the<HTMLInputElement>(testId);
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')!.set!.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });

test('rights and times are shown, with the users who can operate', () => {
  expect([the<HTMLInputElement>('operating-enabled').checked, the<HTMLInputElement>('operating-selectSeconds').value]).toEqual([true, '30']);
  expect([the('operating-members').textContent, the<HTMLButtonElement>('operating-save').disabled]).toEqual(['Asha Rao', true]);
});

test('a change is stored only after the password is accepted', async () => {
  await write('operating-selectSeconds', '45');
  await click('operating-save');
  expect([sent, the('credentials-operation') !== null]).toEqual([[], true]);
  await write('credentials-password', 'wrong');
  await click('credentials-submit');
  expect(sent.map(({ path }) => path)).toEqual(['sld/validatecredentialsfordocontrol']);
  expect(the('credentials-operation')).not.toBeNull();
  isRight = true;
  await write('credentials-password', 'right');
  await click('credentials-submit');
  const stored = sent.filter(({ method }) => method === 'PUT');
  expect(stored).toEqual([{ path: 'admin/configuration', method: 'PUT', body: { name: 'One', logo: 'kept', control: { ...CONTROL, selectSeconds: 45 } } }]);
  expect([the('credentials-operation'), the<HTMLButtonElement>('operating-save').disabled]).toEqual([null, true]);
});

test('switches with a synchronism check are a list, one on each line', async () => {
  expect(the<HTMLTextAreaElement>('operating-synchronismChecked').value).toBe('QUAYSIDE/BC');
  await write('operating-synchronismChecked', 'QUAYSIDE/BC\n\n  ORCHARD/BC ');
  await click('operating-save');
  isRight = true;
  await write('credentials-password', 'right');
  await click('credentials-submit');
  const stored = sent.filter(({ method }) => method === 'PUT');
  expect(stored).toEqual([{ path: 'admin/configuration', method: 'PUT', body: { name: 'One', logo: 'kept', control: { ...CONTROL, synchronismChecked: ['QUAYSIDE/BC', 'ORCHARD/BC'] } } }]);
});
