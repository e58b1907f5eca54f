// Tests of the request that waits for an answer of the own desk: it is announced, keeps the focus over a failure, is answered once, and never for another request.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestBanner, type Answer } from './RequestBanner';

let root: Root;
let box: HTMLElement;
let sent: Answer[];
/** Ends the running answer: with success, or with an error. */
let end: { readonly done: () => void; readonly failed: (error: Error) => void };
const onFocusLost = vi.fn();

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  sent = [];
  onFocusLost.mockClear();
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.unstubAllGlobals();
});

const send = (answer: Answer) => {
  sent.push(answer);
  return new Promise((done, failed) => (end = { done: () => done(null), failed }));
};
const show = (id: number) =>
  act(() => root.render(createElement(RequestBanner, { key: id, testId: 'request', sentence: `East requests area ${id}.`, until: 'To be answered by 10:15:00.', more: 1, accept: 'Give', accepted: 'Given', send, onFocusLost })));
const button = (answer: Answer) => box.querySelector<HTMLButtonElement>(`[data-testid=request-${answer}]`);
const press = (answer: Answer) =>
  act(async () => {
    button(answer)?.focus();
    button(answer)?.click();
  });

test('it is a labelled region that announces its sentence, its time and what comes after it', () => {
  show(1);
  expect(box.querySelector('section')?.getAttribute('aria-label')).toBe('Request to your desk');
  expect(box.querySelector('[role=alert]')?.textContent).toBe('East requests area 1. To be answered by 10:15:00. 1 more after it.');
});

test('it is answered once while the answer is on its way, and keeps the focus if that fails', async () => {
  show(1);
  await press('consent');
  await press('consent');
  await press('refuse');
  expect(sent).toEqual(['consent']);
  await act(async () => end.failed(new Error('The server cannot be reached.')));
  expect(box.querySelector('.problem')?.textContent).toBe('The server cannot be reached.');
  expect(document.activeElement).toBe(button('refuse'));
  await press('refuse');
  expect(sent).toEqual(['consent', 'refuse']);
});

test('the next request has buttons of its own, and the focus leaves those that disappear', async () => {
  show(1);
  const first = button('consent');
  await press('consent');
  show(2);
  expect(button('consent')).not.toBe(first);
  expect(onFocusLost).toHaveBeenCalledTimes(1);
  // Without the focus in it, nothing takes the focus away from where the user works.
  show(3);
  expect(onFocusLost).toHaveBeenCalledTimes(1);
});
