// The selection of a table's columns, stored in the browser.
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { TableColumn } from './columns';
import { t } from '../words';

interface Choice<T> {
  readonly columns: readonly TableColumn<T>[];
  readonly isShown: (column: TableColumn<T>) => boolean;
  readonly toggle: (column: TableColumn<T>) => void;
  /** Forgets the user's choice. Absent if there is none. */
  readonly reset: (() => void) | undefined;
}

const placeOf = (name: string) => `switchyard.columns.${name}`;

/** The columns that the user has shown or hidden, by key. */
type Kept = Readonly<Record<string, boolean>>;

function read(name: string): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(name)) ?? '{}');
    // An earlier release stored the hidden columns only.
    if (Array.isArray(kept)) return Object.fromEntries(kept.filter((key) => typeof key === 'string').map((key) => [key, false]));
    return kept !== null && typeof kept === 'object' ? Object.fromEntries(Object.entries(kept).filter(([, isShown]) => typeof isShown === 'boolean')) : {};
  } catch {
    return {};
  }
}

/** The columns to show. The first column cannot be hidden. */
export function useChosen<T>(name: string, all: readonly TableColumn<T>[]): Choice<T> {
  const [kept, setKept] = useState(() => read(name));
  const isShown = useCallback((column: TableColumn<T>) => kept[column.key] ?? !column.isExtra, [kept]);
  const columns = useMemo(() => all.filter((column, index) => index === 0 || isShown(column)), [all, isShown]);
  const keep = (next: Kept) => {
    localStorage.setItem(placeOf(name), JSON.stringify(next));
    setKept(next);
  };
  return { columns, isShown, toggle: (column) => keep({ ...kept, [column.key]: !isShown(column) }), reset: Object.keys(kept).length === 0 ? undefined : () => keep({}) };
}

/** The columns under their headings, in the order of the table. */
function grouped<T>(all: readonly TableColumn<T>[]): readonly (readonly [heading: string, columns: readonly TableColumn<T>[]])[] {
  const groups = new Map<string, TableColumn<T>[]>();
  for (const column of all) {
    const held = groups.get(column.group ?? '');
    if (held) held.push(column);
    else groups.set(column.group ?? '', [column]);
  }
  return [...groups];
}

export function Chosen<T>({ all, isShown, toggle, reset }: Choice<T> & { all: readonly TableColumn<T>[] }) {
  const [open, setOpen] = useState(false);
  const own = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) => event.target instanceof Node && !own.current?.contains(event.target) && setOpen(false);
    document.addEventListener('pointerdown', away, true);
    return () => document.removeEventListener('pointerdown', away, true);
  }, [open]);
  return (
    <div className="chosen" ref={own} onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}>
      <button type="button" className="plain" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {t('tables.columns')}
      </button>
      {open && (
        <fieldset id={id}>
          <legend>{t('tables.columnsToShow')}</legend>
          {reset && (
            <button type="button" onClick={reset} data-testid="usual-columns">
              {t('tables.usualColumns')}
            </button>
          )}
          {grouped(all).map(([heading, columns]) => (
            <div key={heading} role={heading ? 'group' : undefined} aria-label={heading || undefined}>
              {heading && <b>{heading}</b>}
              {columns.map((column) => (
                <label key={column.key} className="check">
                  <input type="checkbox" checked={column === all[0] || isShown(column)} disabled={column === all[0]} onChange={() => toggle(column)} />
                  {column.name}
                </label>
              ))}
            </div>
          ))}
        </fieldset>
      )}
    </div>
  );
}
