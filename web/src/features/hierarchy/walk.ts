// A partly open tree: its visible rows, and keyboard navigation (ARIA practices, tree view). Pure.
import type { TreeNode } from '../../wire/rest';

/** The children of each open node, by key. */
export type Opened = Readonly<Record<string, readonly TreeNode[]>>;

export interface Row {
  readonly node: TreeNode;
  readonly depth: number;
  readonly isOpen: boolean;
}

export function branches(top: TreeNode, opened: Opened, keyOf: (node: TreeNode) => string, depth = 0): readonly Row[] {
  const children = opened[keyOf(top)];
  return [{ node: top, depth, isOpen: children !== undefined }, ...(children ?? []).flatMap((child) => branches(child, opened, keyOf, depth + 1))];
}

/** Returns the row that a key selects, `toggle` for a key that opens or closes the current row, or null for other keys. */
export function moved(rows: readonly Row[], at: string, key: string, keyOf: (node: TreeNode) => string): string | null {
  const index = rows.findIndex(({ node }) => keyOf(node) === at);
  const row = rows[index];
  if (!row) return null;
  const to = (place: number) => {
    const target = rows[Math.min(Math.max(place, 0), rows.length - 1)];
    return target ? keyOf(target.node) : null;
  };
  switch (key) {
    case 'ArrowDown':
      return to(index + 1);
    case 'ArrowUp':
      return to(index - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      return row.isOpen ? to(index + 1) : 'toggle';
    case 'ArrowLeft': {
      if (row.isOpen) return 'toggle';
      const parent = rows.slice(0, index).findLastIndex(({ depth }) => depth < row.depth);
      return parent < 0 ? null : to(parent);
    }
    case 'Enter':
    case ' ':
      return 'toggle';
    default:
      return null;
  }
}
