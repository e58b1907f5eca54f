// Tests of keyboard navigation in a partly open tree.
import { expect, test } from 'vitest';
import type { TreeNode } from '../../wire/rest';
import { branches, moved } from './walk';

const node = (name: string): TreeNode => ({ id: 0, name, nodeType: 'circle', parentId: 0, hasChildren: true });
const keyOf = ({ name }: TreeNode) => name;
const rows = branches(node('U'), { U: [node('A'), node('B')], A: [node('A1')] }, keyOf);

test('what is open is shown in its place', () => {
  expect(rows.map(({ node: { name }, depth }) => `${depth}${name}`)).toEqual(['0U', '1A', '2A1', '1B']);
});

test.each([
  ['A', 'ArrowDown', 'A1'],
  ['A1', 'ArrowUp', 'A'],
  ['U', 'ArrowUp', 'U'],
  ['B', 'ArrowDown', 'B'],
  ['A', 'ArrowRight', 'A1'],
  ['B', 'ArrowRight', 'toggle'],
  ['A', 'ArrowLeft', 'toggle'],
  ['A1', 'ArrowLeft', 'A'],
  ['A1', 'Home', 'U'],
  ['U', 'End', 'B'],
  ['B', 'Enter', 'toggle'],
  ['B', 'x', null],
  ['gone', 'ArrowDown', null],
])('from %s %s leads to %s', (at, key, expected) => {
  expect(moved(rows, at, key, keyOf)).toBe(expected);
});
