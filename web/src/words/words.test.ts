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
const SAID = new Set(['title', 'data-tip', 'aria-label', 'placeholder', 'label', 'heading', 'sentence', 'alt']);

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

/** The key by which a text is used: a text with a number has a singular and a plural. */
const plain = (key: string) => key.replace(/_(one|other)$/, '');

test('everything in the catalogue is said somewhere', () => {
  const all = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  const unsaid = Object.entries(en).flatMap(([area, words]) => Object.keys(words).filter((key) => !all.includes(`t('${area}.${plain(key)}'`)).map((key) => `${area}.${key}`));
  expect(unsaid).toEqual([]);
});

/** The placeholders of a text. */
const placeholders = (text: string) => [...text.matchAll(/\{\{\s*([A-Za-z0-9]+)[^}]*\}\}/g)].flatMap(([, name]) => name ?? []);
const textOf = (key: string) => {
  const [area, name] = key.split('.') as [keyof typeof en, string];
  const words: Readonly<Record<string, string>> = en[area] ?? {};
  return words[name] ?? [words[`${name}_one`], words[`${name}_other`]].join(' ');
};
const texts = Object.entries(en).flatMap(([area, words]) => Object.entries<string>(words).map(([key, text]) => ({ area, key, text, name: `${area}.${key}` })));

test('no text has a brace outside of a placeholder', () => {
  expect(texts.filter(({ text }) => /[{}]/.test(text.replace(/\{\{\s*[A-Za-z0-9]+\s*\}\}/g, ''))).map(({ name }) => name)).toEqual([]);
});

/** Nouns that a number can stand before. */
const NOUN = /\{\{\w+\}\}(?: [a-z-]+)? (?:areas|changes|characters|customers|days|devices|elements|events|feeders|files|hours|nodes|points|reports|rows|sections|switches|transformers|values|weeks)\b/;
/** Texts whose number is a constant above 1. */
const NEVER_ONE: ReadonlySet<string> = new Set(['analytics.stepsMean', 'faulttrends.daysCut', 'reports.noSuchWeek', 'reportskept.nameTooLong', 'reportskept.pleaseKeepDays', 'session.aPasswordHasAtLeast', 'session.aPasswordHasAtMost', 'tables.liveEvents']);

test('a text with a number of things has a singular, and a plural', () => {
  const missing = texts.filter(({ area, key, text }) => {
    const forms: Readonly<Record<string, string>> = en[area as keyof typeof en];
    const isPair = [`${plain(key)}_one`, `${plain(key)}_other`].every((form) => form in forms);
    return !isPair && (plain(key) !== key || text.includes('{{count}}') || (NOUN.test(text) && !NEVER_ONE.has(`${area}.${key}`)));
  });
  expect(missing.map(({ name }) => name)).toEqual([]);
  expect([1, 2].map((count) => t('ui.customers', { count, number: String(count) }))).toEqual(['1 customer', '2 customers']);
});

test('no singular has a plural noun', () => {
  expect(texts.filter(({ key, text }) => key.endsWith('_one') && NOUN.test(text.replaceAll(/\{\{(?!count|number)\w+\}\}/g, ''))).map(({ name }) => name)).toEqual([]);
});

test('each use of a text fills in all of its placeholders', () => {
  const unfilled: string[] = [];
  for (const path of sources) {
    const visit = (node: ts.Node): void => {
      const [first, second] = ts.isCallExpression(node) && node.expression.getText() === 't' ? node.arguments : [];
      if (first && ts.isStringLiteral(first)) {
        const filled = second && ts.isObjectLiteralExpression(second) ? second.properties.map((property) => property.name?.getText() ?? '...') : [];
        const missing = placeholders(textOf(first.text)).filter((name) => !filled.includes(name) && !filled.includes('...'));
        if (missing.length > 0 && !(second && !ts.isObjectLiteralExpression(second))) unfilled.push(`${path}: ${first.text} lacks ${missing.join(', ')}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS));
  }
  expect(unfilled).toEqual([]);
});

test('a name with markup in it is filled in as it is: React shows it as text', () => {
  expect(t('app.youAreNowIn', { name: '<b>Coast</b> & Sons' })).toBe('You are now in <b>Coast</b> & Sons');
});
