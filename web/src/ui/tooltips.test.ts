// Tests of tooltips: their delays, with the pointer, the focus and touch, and that they follow their element.
// @vitest-environment jsdom
import { act, createElement, Fragment } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Tooltips } from './Tooltips';

let root: Root;
let box: HTMLElement;

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const tip = () => box.querySelector<HTMLElement>('[data-testid=tooltip]:not([hidden])')?.textContent ?? null;
const one = (id: string) => box.querySelector<HTMLElement>(`#${id}`)!;
const pointer = (kind: 'over' | 'down', id: string, pointerType = 'mouse') =>
  act(async () => void one(id).dispatchEvent(Object.assign(new MouseEvent(`pointer${kind}`, { bubbles: true }), { pointerType })));

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
  const children = [
    createElement('button', { key: 1, id: 'first', 'data-tip': 'The first' }, createElement('b', { id: 'inside' }, '1')),
    createElement('button', { key: 2, id: 'second', 'data-tip': 'The second' }),
    createElement('button', { key: 3, id: 'none' }),
    createElement('span', { key: 5, id: 'light', 'data-tip': 'A light' }),
    createElement(Tooltips, { key: 4 }),
  ];
  await act(async () => root.render(createElement(Fragment, null, children)));
});

afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a tip appears after 300 ms and goes after 150 ms', async () => {
  await pointer('over', 'inside');
  await pass(299);
  expect(tip()).toBeNull();
  await pass(1);
  expect(tip()).toBe('The first');
  expect(one('first').getAttribute('aria-describedby')).toBe(box.querySelector('[role=tooltip]')?.id);
  await pointer('over', 'none');
  await pass(149);
  expect(tip()).toBe('The first');
  await pass(1);
  expect([tip(), one('first').hasAttribute('aria-describedby')]).toEqual([null, false]);
});

test('a pointer that passes by shows nothing', async () => {
  await pointer('over', 'first');
  await pass(100);
  await pointer('over', 'none');
  await pass(1_000);
  expect(tip()).toBeNull();
});

test('a tip is shown with the focus, and Escape closes it', async () => {
  vi.spyOn(one('second'), 'matches').mockReturnValue(true);
  await act(async () => one('second').focus());
  await pass(300);
  expect(tip()).toBe('The second');
  await act(async () => void one('second').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  await pass(0);
  expect(tip()).toBeNull();
});

test('a tip is shown on touch, until another place is touched', async () => {
  await pointer('down', 'light', 'touch');
  await pass(300);
  expect(tip()).toBe('A light');
  await pointer('down', 'none', 'touch');
  await pass(0);
  expect(tip()).toBeNull();
});

test('a touched button acts, and shows no tip', async () => {
  await pointer('down', 'first', 'touch');
  await pass(1_000);
  expect(tip()).toBeNull();
});

test('a shown tip follows the text of its element, and goes with the element', async () => {
  await pointer('over', 'light');
  await pass(300);
  await act(async () => one('light').setAttribute('data-tip', 'Another text'));
  await pass(0);
  expect(tip()).toBe('Another text');
  await act(async () => one('light').removeAttribute('data-tip'));
  await pass(0);
  expect(tip()).toBeNull();
});

test('a tip goes when the pointer or the focus leaves the window', async () => {
  await pointer('over', 'light');
  await pass(300);
  await act(async () => void one('light').dispatchEvent(Object.assign(new MouseEvent('pointerout', { bubbles: true, relatedTarget: null }), { pointerType: 'mouse' })));
  await pass(150);
  expect(tip()).toBeNull();
  await pointer('over', 'first');
  await pass(300);
  expect(tip()).toBe('The first');
  await act(async () => void window.dispatchEvent(new Event('blur')));
  await pass(0);
  expect(tip()).toBeNull();
});
