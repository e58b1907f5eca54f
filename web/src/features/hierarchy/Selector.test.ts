// Tests of the hierarchy selector: only a place that the user selects, or that a link opens, becomes the last place.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Login } from '../../wire/rest';
import { lastPlace, rememberPlace } from '../../ui/opening';
import { Selector } from './Selector';

const login = { id: 7, clientId: 1, roleId: 2, clientName: 'Utility', token: 'x' } as Login;
const ANSWERS: Readonly<Record<string, unknown>> = {
  'role/rolesbyroleidinclself/2': [{ levelName: 'DivisionAdmin', tabsList: '' }, { levelName: 'SubstationAdmin', tabsList: '' }],
  'client/clientconfiguration/1': { labels: null },
  'division/divisionsbyuser/7': [
    { displayId: 11, displayName: 'Mill', breadCrumbName: 'North › Mill' },
    { displayId: 12, displayName: 'Harbour', breadCrumbName: 'North › Harbour' },
  ],
  'substation/substationsbyuser/7': [{ displayId: 21, displayName: 'Quayside', breadCrumbName: 'North › Harbour › Quayside' }],
};
const OWN = { level: 'substation', id: 21, crumb: 'North › Harbour › Quayside' } as const;

let root: Root;
let box: HTMLElement;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', async (url: string) => {
    const result = Object.entries(ANSWERS).find(([path]) => String(url).includes(path))?.[1] ?? [];
    return new Response(JSON.stringify({ success: true, statusCode: 200, message: '', result }), { headers: { 'Content-Type': 'application/json' } });
  });
  localStorage.clear();
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});

afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.unstubAllGlobals();
});

async function shown(props: Partial<Parameters<typeof Selector>[0]>): Promise<ReturnType<typeof vi.fn>> {
  const onChoose = vi.fn();
  await act(async () => root.render(createElement(Selector, { login, app: '', preset: null, opens: true, onChoose, ...props })));
  await vi.waitFor(() => act(async () => expect(onChoose.mock.lastCall?.[0]).toBeTruthy()));
  return onChoose;
}

test('the place of the role is not remembered, and is above the last place', async () => {
  rememberPlace(login, OWN);
  const onChoose = await shown({});
  expect(onChoose.mock.lastCall).toMatchObject([{ level: 'division', id: 12 }, false]);
  expect(lastPlace(login)).toEqual(OWN);
});

test('a place that a link opens is remembered, but not the place of a screen that is reloaded', async () => {
  await shown({ preset: { level: 'division', id: 11 }, isAutomatic: true });
  expect(lastPlace(login)).toBeNull();
  act(() => root.unmount());
  root = createRoot(box);
  await shown({ preset: { level: 'substation', id: 21 } });
  expect(lastPlace(login)).toEqual(OWN);
});

test('a place that the user selects is remembered, also the one that is selected already', async () => {
  const onChoose = await shown({});
  expect([onChoose.mock.lastCall?.[0]?.id, lastPlace(login)]).toEqual([11, null]);
  const field = box.querySelector<HTMLInputElement>('[data-testid=select-node]');
  for (const [at, id] of [[0, 11], [1, 12]] as const) {
    await act(async () => field?.click());
    await act(async () => box.querySelectorAll<HTMLElement>('[role=option]')[at]?.click());
    expect(lastPlace(login)?.id).toBe(id);
  }
  expect(onChoose.mock.lastCall).toMatchObject([{ level: 'division', id: 12 }, true]);
});
