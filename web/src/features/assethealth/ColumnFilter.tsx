// The filter of a column: a searchable list of its texts with checkboxes. Only the visible lines are rendered.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type CSSProperties } from 'react';
import type { Choice } from './shown';
import { t } from '../../words';

interface Props {
  readonly name: string;
  readonly choices: readonly Choice[];
  /** The selected texts; undefined selects all. */
  readonly only: ReadonlySet<string> | undefined;
  readonly onTick: (texts: readonly string[], isOn: boolean) => void;
  readonly onClose: () => void;
  readonly style?: CSSProperties;
}

const LINE_PX = 28;
/** Largest number of visible lines. */
const LINES_MOST = 9;

export function ColumnFilter({ name, choices, only, onTick, onClose, style }: Props) {
  'use no memo';
  const [part, setPart] = useState('');
  const own = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const before = document.activeElement;
    const box = own.current;
    box?.querySelector('input')?.focus();
    const away = (event: Event) => {
      const to = event.target;
      // The button of the filter closes it itself.
      if (to instanceof Element && !box?.contains(to) && !to.closest('[data-filter]')) close.current();
    };
    document.addEventListener('pointerdown', away, true);
    return () => {
      document.removeEventListener('pointerdown', away, true);
      if (before instanceof HTMLElement && box?.contains(document.activeElement)) before.focus();
    };
  }, []);
  const found = useMemo(() => {
    const wanted = part.trim().toLowerCase();
    return wanted ? choices.filter(({ text }) => text.toLowerCase().includes(wanted)) : choices;
  }, [choices, part]);
  const isOn = ({ text }: Choice) => only?.has(text) ?? true;
  const on = found.filter(isOn).length;
  const all = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (all.current) all.current.indeterminate = on > 0 && on < found.length;
  });
  const virtual = useVirtualizer({ count: found.length, getScrollElement: () => list.current, estimateSize: () => LINE_PX, overscan: 6 });
  return (
    <div
      ref={own}
      className="column-filter"
      role="dialog"
      aria-label={t('assethealth.filterOf', { name })}
      style={style}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <input
        type="search"
        placeholder={t('assethealth.find')}
        aria-label={t('assethealth.findIn', { name })}
        value={part}
        onChange={(event) => setPart(event.target.value)}
        data-testid="filter-find"
      />
      <label className="check">
        <input
          ref={all}
          type="checkbox"
          checked={found.length > 0 && on === found.length}
          disabled={found.length === 0}
          onChange={(event) => onTick(found.map(({ text }) => text), event.target.checked)}
          data-testid="filter-all"
        />
        {part.trim() ? t('assethealth.allFound', { n: found.length }) : t('assethealth.all')}
      </label>
      <div className="column-choices" ref={list} tabIndex={0} role="group" aria-label={name} style={{ height: LINE_PX * Math.min(found.length, LINES_MOST) + 1 }}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const choice = found[index];
            return (
              choice && (
                <label key={choice.text} className="check" style={{ position: 'absolute', top: start, height: LINE_PX }}>
                  <input
                    type="checkbox"
                    checked={isOn(choice)}
                    onChange={(event) => onTick([choice.text], event.target.checked)}
                    data-testid={`filter-${choice.text}`}
                  />
                  <span>{choice.text}</span> <small>{choice.count}</small>
                </label>
              )
            );
          })}
        </div>
      </div>
      {found.length === 0 && <p className="quiet">{t('assethealth.nothingFound')}</p>}
    </div>
  );
}
