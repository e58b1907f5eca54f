// Tests that all texts of the screens are in the catalogue, and that each text of the catalogue is used.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { t } from '.';
import { en } from './en';

const walk = (folder: string): string[] => readdirSync(folder).flatMap((name) => (statSync(join(folder, name)).isDirectory() ? walk(join(folder, name)) : [join(folder, name)]));
const sources = walk('src').filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.') && !path.endsWith('schema.ts'));

/** Attributes whose text users see or a screen reader speaks. */
const SAID = new Set(['title', 'aria-label', 'placeholder', 'label', 'heading', 'sentence', 'alt']);

test('nothing is said on a screen that is not in the catalogue', () => {
  const own: string[] = [];
  for (const path of sources.filter((path) => path.endsWith('.tsx'))) {
    const visit = (node: ts.Node): void => {
      if (ts.isJsxText(node) && /[A-Za-z]{2,}/.test(node.text)) own.push(`${path}: ${node.text.trim()}`);
      if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer) && SAID.has(node.name.getText()) && /[A-Za-z]{2,}/.test(node.initializer.text)) own.push(`${path}: ${node.initializer.text}`);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  }
  expect(own).toEqual([]);
});

test('everything in the catalogue is said somewhere', () => {
  const all = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  const unsaid = Object.entries(en).flatMap(([area, words]) => Object.keys(words).filter((key) => !all.includes(`t('${area}.${key}'`)).map((key) => `${area}.${key}`));
  expect(unsaid).toEqual([]);
});

test('a name with markup in it is filled in as it is: React shows it as text', () => {
  expect(t('app.youAreNowIn', { name: '<b>Coast</b> & Sons' })).toBe('You are now in <b>Coast</b> & Sons');
});
