// Tests of the field for several options: typing finds, Enter adds and removes, the first line selects all found options, all by keyboard.
// @vitest-environment jsdom
import { act, createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ComboMany, summary } from './ComboMany';

const OPTIONS = [
  { id: 1, name: 'Harbour', detail: 'Coast' },
  { id: 2, name: 'Hills', detail: 'Coast' },
  { id: 3, name: 'Old Town', detail: 'Inland' },
];

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  Element.prototype.scrollIntoView = () => undefined;
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

async function opened() {
  let chosen: readonly number[] = [];
  const Shown = () => {
    const [values, setValues] = useState<readonly number[]>([]);
    chosen = values;
    return createElement(ComboMany, { label: 'Division', testId: 'many', options: OPTIONS, values, onChoose: setValues });
  };
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  await act(async () => root.render(createElement(Shown)));
  const field = place.querySelector('input') as HTMLInputElement;
  const press = async (...keys: string[]) => {
    for (const key of keys) await act(async () => void field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));
  };
  const type = (text: string) =>
    act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
  const lines = () => [...place.querySelectorAll('li')].map((line) => [line.textContent, line.getAttribute('aria-selected') === 'true']);
  return { field, press, type, lines, chosen: () => chosen };
}

test('the keyboard takes places in and out, and the list stays', async () => {
  const { field, press, lines, chosen } = await opened();
  expect(lines()).toEqual([]);
  await press('Enter', 'ArrowDown', 'Enter', 'ArrowDown', 'Enter');
  expect([chosen(), field.getAttribute('aria-expanded')]).toEqual([[1, 2], 'true']);
  expect(lines()).toEqual([['All 3', false], ['Harbour Coast', true], ['Hills Coast', true], ['Old Town Inland', false]]);
  await press('Enter', 'Escape');
  expect([chosen(), field.value, field.getAttribute('aria-expanded')]).toEqual([[1], 'Harbour', 'false']);
});

test('the first line takes all that are found in, and out again', async () => {
  const { press, type, chosen } = await opened();
  await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await type('coast');
  await press('Enter');
  expect(chosen()).toEqual([3, 1, 2]);
  await press('Enter');
  expect(chosen()).toEqual([3]);
});

test('one that is found alone needs no line for all, and none has a sentence', async () => {
  const { press, type, lines, chosen } = await opened();
  await type('old');
  expect(lines()).toEqual([['Old Town Inland', false]]);
  await press('Enter');
  expect(chosen()).toEqual([3]);
  await type('nowhere');
  expect(lines()).toEqual([['Nothing by that name', false]]);
  await press('Enter');
  expect(chosen()).toEqual([3]);
});

test.each([
  [[], ''],
  [[2], 'Hills'],
  [[3, 1], '2 chosen: Harbour, Old Town'],
  [[9], ''],
])('%j reads "%s"', (values, text) => {
  expect(summary(OPTIONS, values)).toBe(text);
});
