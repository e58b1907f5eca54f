// Tests of importing asset health data: a file is checked first, its faults are listed, and only a file without faults can be imported.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HealthImport } from './HealthImport';
import { FILE_MOST, refusalOf } from './healthimport';

const COUNTS = { kind: 'register', rows: 3, added: 2, changed: 1, same: 0 };
const FAULT = { line: 2, column: 'length_m', what: '“-1” is too small.' };

/** A response whose body is available after the pending promises have run, because it is not a stream. */
const answered = (body: unknown, status = 200) => ({ ok: status < 400, status, json: () => Promise.resolve(body) }) as Response;

let root: Root;
let stage: HTMLDivElement;
let requests: { path: string; text: string }[];
let faulty: boolean;

beforeEach(() => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  requests = [];
  faulty = false;
  globalThis.fetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const path = String(input);
    const isTrial = path.endsWith('dryRun=true');
    requests.push({ path, text: init?.body instanceof File ? init.body.name : '' });
    if (faulty && !isTrial) return answered({ statusCode: 400, message: 'The file has faults.', faults: [FAULT] }, 400);
    return answered({ statusCode: 200, message: '', result: { ...COUNTS, dryRun: isTrial, faults: faulty ? [FAULT] : [], faultsTotal: faulty ? 240 : 0 } });
  }) as typeof fetch;
  stage = document.body.appendChild(document.createElement('div'));
  root = createRoot(stage);
  act(() => root.render(createElement(HealthImport, { token: 't', zone: 'Asia/Kolkata' })));
});

afterEach(() => {
  act(() => root.unmount());
  stage.remove();
});

const the = <T extends HTMLElement>(testId: string) => stage.querySelector(`[data-testid="${testId}"]`) as T;
const click = (testId: string) => act(async () => the(testId).click());
const choose = (name: string, text: string) =>
  act(async () => {
    const input = the<HTMLInputElement>('health-file');
    Object.defineProperty(input, 'files', { configurable: true, value: [new File([text], name)] });
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
const mayImport = () => !the<HTMLButtonElement>('health-import').disabled;

test('a file is tried before it can be imported, and another file is another trial', async () => {
  expect([the<HTMLButtonElement>('health-try').disabled, mayImport()]).toEqual([true, false]);
  await choose('a.csv', 'x');
  expect(mayImport()).toBe(false);
  await click('health-try');
  expect(the('health-outcome').textContent).toContain('3 rows: 2 new, 1 changed, 0 as they were.');
  expect(mayImport()).toBe(true);
  await choose('b.csv', 'y');
  expect(mayImport()).toBe(false);
  await click('health-try');
  await click('health-import');
  expect(requests.map(({ path, text }) => [path.replace('/api/admin/cablehealth/import/', ''), text])).toEqual([
    ['register?dryRun=true', 'a.csv'],
    ['register?dryRun=true', 'b.csv'],
    ['register?dryRun=false', 'b.csv'],
  ]);
  expect([the('health-outcome').textContent?.startsWith('Imported.'), mayImport()]).toEqual([true, false]);
});

test('faults are listed by line and column, and there is no import', async () => {
  faulty = true;
  await choose('a.csv', 'x');
  await click('health-try');
  expect([...the('health-faults').querySelectorAll('td')].map(({ textContent }) => textContent)).toEqual(['2', 'length_m', '“-1” is too small.']);
  expect(the('health-outcome').textContent).toContain('Faults: 240.');
  expect(the('health-outcome').textContent).toContain('The first one is listed.');
  expect(mayImport()).toBe(false);
});

test('a file that became faulty after its trial is refused with the same list', async () => {
  await choose('a.csv', 'x');
  await click('health-try');
  faulty = true;
  await click('health-import');
  expect(stage.querySelector('[role=alert]')?.textContent).toBe('The file has faults.');
  expect(the('health-faults').textContent).toContain('length_m');
  expect(mayImport()).toBe(false);
});

test.each([
  ['empty.csv', 0, 'empty.csv is empty.'],
  ['large.csv', FILE_MOST + 1, 'large.csv has 5.0 MiB. A file may have at most 5 MiB: send it in parts.'],
  ['book.xlsx', 10, 'book.xlsx is a workbook. Save it as CSV first.'],
  ['register.csv', FILE_MOST, ''],
])('%s of %i bytes: %s', (name, size, said) => expect(refusalOf({ name, size })).toBe(said));
