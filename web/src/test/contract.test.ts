// Tests that generated types and pages match the OpenAPI document, and that the first load is within its size budget.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import openapi, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { readDrawing } from '../wire/sld';

const BUDGET_KB = 350;

test('the REST types are those of the OpenAPI document (npm run generate)', async () => {
  const document = JSON.parse(readFileSync('../api/openapi.json', 'utf8'));
  const fresh = astToString(await openapi(document));
  const checkedIn = readFileSync('src/wire/schema.ts', 'utf8');
  expect(checkedIn.slice(checkedIn.indexOf('export interface paths')).trim()).toBe(fresh.slice(fresh.indexOf('export interface paths')).trim());
}, 30_000);

test('the pages of the calls are those of the OpenAPI document (scripts/api-pages)', () => {
  const check = spawnSync(process.execPath, ['../scripts/api-pages', '--check'], { encoding: 'utf8' });
  expect(check.stderr).toBe('');
  expect(check.status).toBe(0);
});

test.skipIf(!existsSync('dist/index.html'))('the first load stays within its budget', () => {
  const page = readFileSync('dist/index.html', 'utf8');
  const files = new Set([...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? ''));
  const kb = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(`dist${file}`)).length, 0) / 1024;
  expect(kb).toBeGreaterThan(100);
  expect(kb).toBeLessThanOrEqual(BUDGET_KB);
});

test('a file that is no drawing of this version is refused', () => {
  for (const text of ['', '{', '{}', '{"format":"other","version":1}', '{"format":"switchyard-sld","version":2,"name":"","size":{"width":1,"height":1},"elements":[],"points":{}}']) {
    expect(readDrawing(text)).toBeNull();
  }
});
