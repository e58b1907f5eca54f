// Tests that a dialog is closed before it leaves the page, so that it returns the focus, also in strict mode, where React mounts it twice.
// @vitest-environment jsdom
import { act, createElement, Fragment, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Dialog } from './Dialog';

/** Simulates browsers: opening stores the focused element, closing returns the focus, and an element outside of the page is not open. */
const openers = new WeakMap<HTMLDialogElement, Element | null>();
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
    if (this.open) throw new Error('it is open already');
    openers.set(this, document.activeElement);
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function (this: HTMLDialogElement) {
    this.open = false;
    const opener = openers.get(this);
    if (this.isConnected && opener instanceof HTMLElement) opener.focus();
  };
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

test.each([
  ['strict mode', StrictMode],
  ['a page', Fragment],
])('in %s the focus is where it was when the dialog has gone', async (_, Around) => {
  const opener = document.body.appendChild(document.createElement('button'));
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  opener.focus();
  const dialog = createElement(Dialog, { title: 'Sure?', onClose: () => undefined, children: createElement('button', { 'data-first': '' }, 'No') });
  await act(async () => root.render(createElement(Around, null, dialog)));
  expect([document.querySelector('dialog')?.open, document.activeElement?.textContent]).toEqual([true, 'No']);
  await act(async () => root.render(createElement(Around, null, null)));
  expect([document.querySelector('dialog'), document.activeElement === opener]).toEqual([null, true]);
  await act(async () => root.unmount());
});
