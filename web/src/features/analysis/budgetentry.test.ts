// Tests of entering and importing energy budgets.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { budgetIn, budgetMonths } from './budget';
import { BudgetEntry } from './BudgetEntry';

/** A response whose body is available after the pending promises have run, because it is not a stream. */
const answered = (body: unknown, status = 200) => ({ ok: status < 400, status, json: () => Promise.resolve(body) }) as Response;

let root: Root;
let stage: HTMLDivElement;
let requests: { path: string; method: string; body: unknown }[];
let stored: { month: string; budgetKwh: number }[];
let isFaulty: boolean;
const onChanged = vi.fn();

beforeEach(async () => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  requests = [];
  stored = [];
  isFaulty = false;
  onChanged.mockClear();
  globalThis.fetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const method = init?.method ?? 'GET';
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
    requests.push({ path: String(input).replace('/api/', ''), method, body });
    if (method === 'POST' && isFaulty) return answered({ statusCode: 400, message: 'nothing is stored', result: { faults: [{ line: 3, column: 'month', what: '"x" is no month' }] } }, 400);
    if (method === 'POST') return answered({ statusCode: 200, message: '', result: { added: 2, changed: 1, same: 0, faults: [] } });
    if (method === 'PUT') stored = [...stored.filter(({ month }) => month !== body.month), ...(body.budgetKwh === null ? [] : [body])];
    return answered({ statusCode: 200, message: '', result: stored });
  }) as typeof fetch;
  stage = document.body.appendChild(document.createElement('div'));
  root = createRoot(stage);
  await act(async () => root.render(createElement(BudgetEntry, { token: 't', scope: 'asset/5', placeName: 'F1', today: { year: 2026, month: 4 }, onChanged })));
});

afterEach(() => {
  act(() => root.unmount());
  stage.remove();
});

const the = <T extends HTMLElement>(testId: string) => stage.querySelector(`[data-testid="${testId}"]`) as T;
const write = (text: string) =>
  act(async () => {
    const input = the<HTMLInputElement>('budget-kwh');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
const click = (testId: string) => act(async () => the(testId).click());
const take = () =>
  act(async () => {
    const input = the<HTMLInputElement>('budget-file');
    Object.defineProperty(input, 'files', { configurable: true, value: [new File(['x'], 'budgets.csv')] });
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });

test('a budget is saved for the chosen month, listed, and removed', async () => {
  expect([the('budgets-none').textContent, the<HTMLSelectElement>('budget-month').value]).toEqual(['No budget is entered for this place.', '2026-04']);
  await write('1,200,000');
  await click('budget-save');
  expect(requests.at(-1)).toEqual({ path: 'admin/energybudget/asset/5', method: 'PUT', body: { month: '2026-04', budgetKwh: 1_200_000 } });
  expect([...the('budgets').querySelectorAll('td')].map(({ textContent }) => textContent)).toEqual(['April 2026', '1,200,000', 'Remove']);
  await click('budget-remove-2026-04');
  expect(requests.at(-1)?.body).toEqual({ month: '2026-04', budgetKwh: null });
  expect([the('budgets-none') !== null, onChanged.mock.calls.length]).toEqual([true, 2]);
});

test('a text that is no budget is refused without a request', async () => {
  const before = requests.length;
  for (const text of ['', '0', '-5', '1e3', 'many']) {
    await write(text);
    await click('budget-save');
    expect([the('budget-problem').textContent?.startsWith('The budget must be'), requests.length], text).toEqual([true, before]);
  }
});

test('a file is imported, or its faults are listed and nothing changes', async () => {
  await take();
  expect([requests.some(({ path, method }) => path === 'admin/energybudgets/import' && method === 'POST'), onChanged.mock.calls.length]).toEqual([true, 1]);
  isFaulty = true;
  await take();
  expect([the('budget-faults').textContent, onChanged.mock.calls.length]).toEqual(['Line 3, month: "x" is no month', 1]);
});

test('months reach a year back and two ahead, and numbers can be grouped', () => {
  const months = budgetMonths({ year: 2026, month: 4 });
  expect([months[0], months.at(-1)]).toEqual([{ value: '2025-04', name: 'April 2025' }, { value: '2028-04', name: 'April 2028' }]);
  expect([budgetIn(' 1,234.5 '), budgetIn(''), budgetIn('1e9'), budgetIn('0')]).toEqual([1_234.5, null, Number.NaN, Number.NaN]);
});
