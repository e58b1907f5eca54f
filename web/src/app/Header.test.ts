// Tests of the user's picture in the header.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { Avatar } from './Header';

afterEach(() => vi.unstubAllGlobals());

test('the initials are shown in place of a picture that cannot be loaded', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const box = document.createElement('div');
  const root = createRoot(box);
  await act(async () => root.render(createElement(Avatar, { path: '/gone.svg', initials: 'AB' })));
  expect(box.textContent).toBe('');
  await act(async () => void box.querySelector('img')?.dispatchEvent(new Event('error')));
  expect([box.textContent, box.querySelector('img')]).toEqual(['AB', null]);
  act(() => root.unmount());
});
