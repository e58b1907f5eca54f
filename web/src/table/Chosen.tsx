// The selection of a table's columns, stored in the browser.
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { TableColumn } from './columns';
import { t } from '../words';

interface Choice<T> {
  readonly columns: readonly TableColumn<T>[];
  readonly hidden: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
}

const placeOf = (name: string) => `switchyard.columns.${name}`;

function read(name: string): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(name)) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []);
  } catch {
    return new Set();
  }
}

/** The columns to show. The first column cannot be hidden. */
export function useChosen<T>(name: string, all: readonly TableColumn<T>[]): Choice<T> {
  const [hidden, setHidden] = useState(() => read(name));
  const columns = useMemo(() => all.filter(({ key }, index) => index === 0 || !hidden.has(key)), [all, hidden]);
  const toggle = (key: string) =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      localStorage.setItem(placeOf(name), JSON.stringify([...next]));
      return next;
    });
  return { columns, hidden, toggle };
}

export function Chosen<T>({ all, hidden, toggle }: Choice<T> & { all: readonly TableColumn<T>[] }) {
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
          {all.map(({ key, name }, index) => (
            <label key={key} className="check">
              <input type="checkbox" checked={index === 0 || !hidden.has(key)} disabled={index === 0} onChange={() => toggle(key)} />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}
