// Tests of the inputs of a report.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import type { ReportInput } from '../../wire/reports';
import { InputFields } from './Fields';

afterEach(() => vi.unstubAllGlobals());

test('the switch "Exclude Momentary Faults" says what it changes', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const input = { name: 'excludeMomentary', kind: 'switch', default: true, choices: null, min: null, max: null } as unknown as ReportInput;
  const box = document.createElement('div');
  const root = createRoot(box);
  await act(async () => root.render(createElement(InputFields, { inputs: [input], entered: {}, onChange: () => undefined })));
  const field = box.querySelector('[data-testid=input-excludeMomentary]');
  const meaning = box.querySelector(`[id="${field?.getAttribute('aria-describedby')}"]`);
  expect(meaning?.textContent).toBe('Leaves MAIFI and the number of momentary outages empty. SAIDI, SAIFI and CAIDI count sustained outages only, with or without it.');
  act(() => root.unmount());
});
