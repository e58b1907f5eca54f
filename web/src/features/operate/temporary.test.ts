// Tests of the dialogs that place and remove a temporary change: their idempotency key belongs to one content, and outlives a lost answer.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RemoveTemporary, TemporaryChanges } from './TemporaryChanges';

const equipment = { id: 'Q/F1', name: 'F1CB', kind: 'Breaker' };
const terminals = { equipment, terminals: [1, 2].map((terminal) => ({ terminal, state: 'dead', beside: [] })) };

let root: Root;
let box: HTMLElement;
/** The requests that change something: the key and the content. */
let sent: { readonly key: string | null; readonly body: Record<string, unknown> }[];
/** Whether the server answers a change; if not, the connection breaks. */
let answers: boolean;
const called = vi.fn();

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  HTMLDialogElement.prototype.showModal = function showModal() { this.open = true; };
  HTMLDialogElement.prototype.close = function close() { this.open = false; };
  [sent, answers] = [[], true];
  called.mockClear();
  vi.stubGlobal('fetch', (path: string, { method, headers, body }: RequestInit) => {
    if (method !== 'POST') return Promise.resolve(Response.json({ statusCode: 200, message: '', result: path.includes('terminals') ? terminals : [] }));
    sent.push({ key: new Headers(headers).get('Idempotency-Key'), body: JSON.parse(String(body)) as Record<string, unknown> });
    return answers ? Promise.resolve(Response.json({ statusCode: 200, message: '', result: {} })) : Promise.reject(new TypeError('Failed to fetch'));
  });
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.unstubAllGlobals();
});

const at = (testId: string) => document.querySelector<HTMLElement>(`[data-testid=${testId}]`);
const click = (testId: string) => act(async () => at(testId)?.click());
const type = (text: string) =>
  act(async () => {
    const field = at('temporary-reason') as HTMLInputElement;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
const problem = () => document.querySelector('.problem')?.textContent ?? '';
const keys = () => sent.map(({ key }) => key);

const device = { id: 'e', name: 'F1CB', equipment: 'Q/F1', temporary: [] };
async function opened() {
  const props = { token: 'token', zone: 'UTC', devices: [device], device, location: null, mayPlace: true, outside: '', onChanged: () => void called('changed') };
  await act(async () => root.render(createElement(TemporaryChanges, props)));
  await click('action-temporary');
  await click('temporary-one-2');
  await type('work');
}

test('a repeat after a lost answer has the same key, and another content another one', async () => {
  await opened();
  answers = false;
  await click('temporary-save');
  expect(problem()).toMatch(/may have been done nevertheless/);
  // The list behind the dialog shows whether it was done.
  expect(called).toHaveBeenCalledWith('changed');
  await click('temporary-save');
  expect(keys()[1]).toBe(keys()[0]);
  await click('temporary-seen-dead');
  await click('temporary-save');
  await type('work on the cable');
  await click('temporary-save');
  expect(new Set(keys().slice(1)).size).toBe(3);
  // What is set back is the first request again.
  await type('work');
  await click('temporary-seen-dead');
  answers = true;
  await click('temporary-save');
  expect(keys()[4]).toBe(keys()[0]);
  expect(at('temporary-save')).toBeNull();
});

test('the same content after a success is a new request', async () => {
  await opened();
  await click('temporary-save');
  await opened();
  await click('temporary-save');
  expect(sent[0]?.body).toEqual(sent[1]?.body);
  expect(new Set(keys()).size).toBe(2);
});

test('a removal keeps its key over a lost answer, until its reason changes', async () => {
  const props = { token: 'token', id: 5, kind: 'portableEarth', place: 'F1', onClose: () => undefined, onDone: () => void called('done'), onUncertain: () => void called('uncertain') };
  await act(async () => root.render(createElement(RemoveTemporary, props)));
  await type('done');
  answers = false;
  await click('temporary-removed');
  await click('temporary-removed');
  await type('work is done');
  answers = true;
  await click('temporary-removed');
  expect(keys()[1]).toBe(keys()[0]);
  expect(keys()[2]).not.toBe(keys()[0]);
  expect(called.mock.calls.flat()).toEqual(['uncertain', 'uncertain', 'done']);
});
