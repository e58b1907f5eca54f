// A dialog is closed while it is still on the page, and so gives the focus back; in strict mode, where React opens each twice, as well.
// @vitest-environment jsdom
import { act, createElement, Fragment, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Dialog } from './Dialog';

/** As browsers do: opening notes where the focus is, closing gives it back, and what has left the page is not open any more. */
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
