// Tests that the focus follows only the removal of the own user.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { beforeEach, expect, test, vi } from 'vitest';
import { useFocusAfterRemoval } from './useFocusAfterRemoval';

beforeEach(() => void vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));

test('the focus moves once, when the own user has removed a row and the row is gone', async () => {
  const focus = vi.fn();
  let expectRemoval: () => void = () => undefined;
  function Rows({ count }: { readonly count: number }) {
    expectRemoval = useFocusAfterRemoval(count, focus);
    return null;
  }
  const root = createRoot(document.createElement('div'));
  const render = (count: number) => act(async () => root.render(createElement(Rows, { count })));
  await render(3);
  // Another user has removed a row: the focus stays.
  await render(2);
  expect(focus).not.toHaveBeenCalled();
  expectRemoval();
  await render(2);
  expect(focus).not.toHaveBeenCalled();
  await render(1);
  expect(focus).toHaveBeenCalledTimes(1);
  await render(0);
  expect(focus).toHaveBeenCalledTimes(1);
  await act(async () => root.unmount());
});
