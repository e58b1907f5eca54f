// The hierarchy as a tree. The children of a node are loaded when it is opened (specification 3, section 2.4).
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { notice } from '../../ui/notice';
import { toast } from '../../ui/toast';
import { get, type TreeNode, problemOf } from '../../wire/rest';
import { branches, moved, type Opened } from './walk';
import { t } from '../../words';

interface Root {
  readonly id: number;
  readonly name: string;
}

export function Tree({ token, root }: { token: string; root: Root }) {
  const top: TreeNode = { id: root.id, name: root.name, nodeType: 'client', parentId: root.id, hasChildren: true };
  const [opened, setOpened] = useState<Opened>({});
  const [loading, setLoading] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(keyOf(top));
  const list = useRef<HTMLUListElement>(null);
  const rows = branches(top, opened, keyOf);

  const toggle = async (node: TreeNode) => {
    const key = keyOf(node);
    if (opened[key]) return setOpened((before) => Object.fromEntries(Object.entries(before).filter(([held]) => held !== key)));
    if (loading.has(key)) return;
    setLoading((before) => new Set(before).add(key));
    try {
      const { result } = node.hasChildren ? await get<TreeNode[]>(token, `hierarchy/children/${node.nodeType}/${node.id}`) : { result: [] };
      if (result.length === 0) notice(t('hierarchy.noChildNodesExist'));
      else setOpened((before) => ({ ...before, [key]: result }));
    } catch (error) {
      toast(problemOf(error), 'error');
    } finally {
      setLoading((before) => new Set([...before].filter((held) => held !== key)));
    }
  };

  const first = useRef(true);
  useEffect(() => {
    if (first.current) void toggle(top);
    first.current = false;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- opens the root once
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows.find(({ node }) => keyOf(node) === at);
    const move = row && moved(rows, at, event.key, keyOf);
    if (!row || !move) return;
    event.preventDefault();
    if (move === 'toggle') return void toggle(row.node);
    setAt(move);
    list.current?.querySelector<HTMLElement>(`[data-key="${move}"]`)?.focus();
  };

  return (
    <ul ref={list} className="tree" role="tree" aria-label={t('hierarchy.hierarchy')} onKeyDown={onKeyDown}>
      {rows.map(({ node, depth }) => {
        const key = keyOf(node);
        return (
          <li
            key={key}
            role="treeitem"
            data-key={key}
            aria-level={depth + 1}
            aria-expanded={node.nodeType === 'asset' ? undefined : Boolean(opened[key])}
            aria-busy={loading.has(key)}
            aria-selected={key === at}
            tabIndex={key === at ? 0 : -1}
            style={{ paddingInlineStart: 12 + depth * 20 }}
            onClick={() => {
              setAt(key);
              void toggle(node);
            }}
          >
            <i aria-hidden="true">{node.nodeType === 'asset' ? '' : opened[key] ? '▾' : '▸'}</i> {node.name} <small>{node.nodeType}</small>
          </li>
        );
      })}
    </ul>
  );
}

function keyOf({ nodeType, id }: TreeNode): string {
  return `${nodeType}-${id}`;
}
