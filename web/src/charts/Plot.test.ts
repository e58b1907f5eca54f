// Tests that the states of a figure differ visibly, and that the keyboard can read all values.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bars } from './bars';
import { Plot } from './Plot';

let root: Root;
let box: HTMLElement;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  // jsdom has no canvas. Other tests check what is drawn.
  HTMLCanvasElement.prototype.getContext = (() => null) as unknown as typeof HTMLCanvasElement.prototype.getContext;
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.unstubAllGlobals();
});

const FIGURE = bars({
  head: 'Day',
  categories: ['01/11', '02/11'],
  left: { name: 'Count' },
  notes: [null, 'not over'],
  series: [{ name: 'LG', unit: 'min', colour: 0, values: [1.5, null] }],
});
const EMPTY = bars({ head: 'Day', categories: [], left: { name: 'Count' }, series: [] });
const show = (props: Partial<Parameters<typeof Plot>[0]>) =>
  act(() => root.render(createElement(Plot, { title: 'Faults', subject: 'Coast', zone: 'Asia/Kolkata', figure: null, ...props })));
const there = () => ({
  drawn: box.querySelector('canvas') !== null,
  alert: box.querySelector('[role=alert]')?.textContent ?? null,
  waits: box.querySelector('.chart-waiting') !== null,
  said: box.querySelector('p.chart-said')?.textContent ?? null,
});

test('loading, empty, failed and out of date are told apart', () => {
  show({});
  expect(there()).toEqual({ drawn: false, alert: null, waits: true, said: null });
  show({ figure: EMPTY });
  expect(there()).toEqual({ drawn: false, alert: null, waits: false, said: 'No data found to display!' });
  show({ problem: 'The server cannot be reached.' });
  expect(there()).toMatchObject({ drawn: false, alert: expect.stringContaining('The server cannot be reached.'), waits: false });
  show({ figure: FIGURE });
  expect(there()).toEqual({ drawn: true, alert: null, waits: false, said: null });
  show({ figure: FIGURE, problem: 'The server cannot be reached.' });
  expect(there()).toMatchObject({ drawn: true, alert: expect.stringContaining('Not up to date') });
  expect(box.querySelector('.chart-frame')?.getAttribute('data-stale')).toBe('true');
});

test('trying again is asked for by a button', () => {
  const onRetry = vi.fn();
  show({ problem: 'No.', onRetry });
  act(() => box.querySelector<HTMLButtonElement>('[role=alert] button')?.click());
  expect(onRetry).toHaveBeenCalledOnce();
});

test('the arrow keys read it, Enter opens what a value is made of, Escape ends', () => {
  const onPick = vi.fn();
  show({ figure: FIGURE, onPick });
  const picture = box.querySelector<HTMLElement>('[role=application]');
  const press = (key: string) => act(() => void picture?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
  const spoken = () => [...box.querySelectorAll('[role=status]')].at(-1)?.textContent;
  press('Enter');
  expect(onPick).not.toHaveBeenCalled();
  press('ArrowRight');
  expect([spoken(), box.querySelector('.chart-tip')?.textContent]).toEqual(['01/11, LG 1.50 min', '01/11LG 1.50 min']);
  press('ArrowRight');
  expect(spoken()).toBe('02/11, LG –, not over');
  press('ArrowRight');
  press('Enter');
  expect(onPick).toHaveBeenCalledExactlyOnceWith(1);
  press('Escape');
  expect(box.querySelector('.chart-tip')).toBeNull();
});

test('the same is there as a table', () => {
  show({ figure: FIGURE });
  act(() => box.querySelector<HTMLButtonElement>('[data-testid=chart-export]')?.click());
  act(() => box.querySelector<HTMLButtonElement>('[data-testid=view-data]')?.click());
  expect([...box.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['01/11', '1.50', ''],
    ['02/11', '–', 'not over'],
  ]);
});

test('a finger’s first touch reads, its second one chooses; the mouse chooses at once', () => {
  const onPick = vi.fn();
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600);
  try {
    show({ figure: FIGURE, onPick });
    const picture = box.querySelector<HTMLElement>('[role=application]');
    const touch = (pointerType: string) =>
      act(() => {
        const at = { bubbles: true, clientX: 200, clientY: 100 };
        picture?.dispatchEvent(Object.assign(new MouseEvent('pointerdown', at), { pointerType }));
        picture?.dispatchEvent(new MouseEvent('click', at));
      });
    touch('touch');
    expect([onPick.mock.calls.length, box.querySelector('.chart-tip b')?.textContent]).toEqual([0, '01/11']);
    touch('touch');
    expect(onPick).toHaveBeenCalledExactlyOnceWith(0);
    act(() => void picture?.dispatchEvent(new FocusEvent('focusout', { bubbles: true })));
    touch('mouse');
    expect(onPick).toHaveBeenCalledTimes(2);
  } finally {
    vi.restoreAllMocks();
  }
});
