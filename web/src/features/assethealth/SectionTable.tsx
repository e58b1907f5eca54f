// The Network Table: the visible sections with sorting and column filters, the selected one in red and in view (specification 3, sections
// 2.3 and 9). It has the same data as the heat maps and the map.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { nextSorting, type Sorting } from '../../table/columns';
import { number } from '../../ui/format';
import type { CableSection, SectionId } from '../../wire/cable-health';
import { ColumnFilter } from './ColumnFilter';
import { COLUMNS, healthStep, nameOf, type ColumnKey } from './sections';
import type { ListName } from './forecast';
import { choicesOf, pageSize, textsOf, ticked, type Filters, type Shown } from './shown';
import { t } from '../../words';

interface Props {
  /** The sections before the column filters. */
  readonly sections: readonly CableSection[];
  readonly shown: Shown;
  readonly filters: Filters;
  readonly onFilters: (filters: Filters) => void;
  readonly sorting: Sorting | null;
  readonly onSorting: (sorting: Sorting | null) => void;
  readonly selected: SectionId | null;
  readonly onSelect: (id: SectionId) => void;
  /** Sections that the user has marked for replacement. */
  readonly replaced: ReadonlySet<SectionId>;
  /** The list to which ticked sections are added. */
  readonly list: ListName;
  readonly onReplace: (ids: readonly SectionId[], isOn: boolean) => void;
  /** The message of an empty table. */
  readonly empty: string;
}

const ROW_PX = 28;
const NOW = { now: 0, zone: 'UTC' } as const;

export function SectionTable({ sections, shown, filters, onFilters, sorting, onSorting, selected, onSelect, replaced, list, onReplace, empty }: Props) {
  'use no memo';
  const { rows, places } = shown;
  const scroll = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<{ key: ColumnKey; left: number; top: number } | null>(null);
  const [current, setCurrent] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollPaddingStart: 64,
  });
  const place = selected === null ? undefined : places.get(selected);
  const latest = useRef(virtual);
  latest.current = virtual;
  useEffect(() => {
    if (place === undefined) return;
    latest.current.scrollToIndex(place, { align: 'auto' });
    setCurrent(place);
  }, [place, selected]);
  const choices = useMemo(() => (open ? choicesOf(sections, filters, open.key) : []), [open, sections, filters]);
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const on = useMemo(() => rows.reduce((sum, { CableObjectId }) => sum + (replaced.has(CableObjectId) ? 1 : 0), 0), [rows, replaced]);
  const all = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (all.current) all.current.indeterminate = on > 0 && on < rows.length;
  });
  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('tr[data-index]');
    if (!row || event.target !== row) return;
    const at = Number(row.dataset.index);
    const own = rows[at];
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / ROW_PX) - 3);
    const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 };
    const wanted = steps[event.key];
    if (event.key === 'Enter' && own) onSelect(own.CableObjectId);
    else if (event.key === ' ' && own) onReplace([own.CableObjectId], !replaced.has(own.CableObjectId));
    else if (wanted !== undefined) {
      const to = Math.min(Math.max(wanted, 0), rows.length - 1);
      virtual.scrollToIndex(to);
      setCurrent(to);
      requestAnimationFrame(() => scroll.current?.querySelector<HTMLElement>(`tr[data-index="${to}"]`)?.focus());
    } else return;
    event.preventDefault();
  };
  const openAt = (key: ColumnKey, button: HTMLElement) => {
    if (open?.key === key) return setOpen(null);
    const [own, around] = [button.getBoundingClientRect(), frame.current?.getBoundingClientRect()];
    const left = Math.max(4, Math.min(own.left - (around?.left ?? 0), (around?.width ?? 0) - 252));
    setOpen({ key, left, top: own.bottom - (around?.top ?? 0) + 2 });
  };
  const blank = pageSize(rows.length) - rows.length;
  const isInSight = items.some(({ index }) => index === current);
  return (
    <div className="sections" ref={frame}>
      <div className="scroll" ref={scroll} data-testid="section-table">
        <table aria-rowcount={rows.length + 1} aria-label={t('assethealth.networkTable')}>
          <thead>
            <tr aria-rowindex={1}>
              <th className="tick">
                <input
                  ref={all}
                  type="checkbox"
                  aria-label={t('assethealth.replaceAll', { list })}
                  data-tip={t('assethealth.replaceAll', { list })}
                  checked={rows.length > 0 && on === rows.length}
                  disabled={rows.length === 0}
                  onChange={(event) => onReplace(rows.map(({ CableObjectId }) => CableObjectId), event.target.checked)}
                />
              </th>
              {COLUMNS.map(({ key, name, isNumber }) => {
                const own = sorting?.key === key ? sorting : null;
                return (
                  <th key={key} data-column={key} className={isNumber ? 'number' : undefined} aria-sort={own ? (own.descending ? 'descending' : 'ascending') : undefined}>
                    <span className="head">
                      <button type="button" data-testid={`sort-${key}`} onClick={() => onSorting(nextSorting(sorting, key))}>
                        {name}
                        <i aria-hidden="true">{own ? (own.descending ? ' ▾' : ' ▴') : ''}</i>
                      </button>
                      <button
                        type="button"
                        data-filter={key}
                        data-on={filters[key] !== undefined}
                        aria-expanded={open?.key === key}
                        aria-haspopup="dialog"
                        aria-label={filters[key] ? t('assethealth.filterOn', { name }) : t('assethealth.filterOf', { name })}
                        data-testid={`filter-of-${key}`}
                        onClick={(event) => openAt(key, event.currentTarget)}
                      >
                        <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
                          <path d="M1 2h10L7.2 6.5V11L4.8 9.5v-3z" />
                        </svg>
                      </button>
                    </span>
                    <small data-testid={`count-${key}`} data-tip={key === 'km' ? t('assethealth.totalLength') : t('assethealth.distinctAbout')}>
                      {key === 'km' ? t('assethealth.km', { km: number(shown.km, 2) }) : t('assethealth.distinct', { values: shown.distinct[key] })}
                    </small>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody onKeyDown={onKeyDown}>
            {above > 0 && <tr className="spacer" style={{ height: above }} aria-hidden="true" />}
            {items.map(({ index }) => {
              const row = rows[index];
              return (
                row && (
                  <Row
                    key={row.CableObjectId}
                    row={row}
                    index={index}
                    isSelected={row.CableObjectId === selected}
                    isCurrent={index === current || (!isInSight && index === items[0]?.index)}
                    isReplaced={replaced.has(row.CableObjectId)}
                    list={list}
                    onSelect={onSelect}
                    onReplace={onReplace}
                  />
                )
              );
            })}
            {below > 0 && <tr className="spacer" style={{ height: below }} aria-hidden="true" />}
            {rows.length > 0 &&
              Array.from({ length: blank }, (_, index) => (
                <tr key={`blank ${index}`} className="blank" aria-hidden="true">
                  <td colSpan={COLUMNS.length + 1} />
                </tr>
              ))}
          </tbody>
        </table>
        {rows.length === 0 && <div className="notice">{empty}</div>}
      </div>
      {open && (
        <ColumnFilter
          key={open.key}
          name={COLUMNS.find(({ key }) => key === open.key)?.name ?? ''}
          choices={choices}
          only={filters[open.key]}
          onTick={(texts, isOn) => onFilters(ticked(sections, filters, open.key, texts, isOn))}
          onClose={() => setOpen(null)}
          style={{ left: open.left, top: open.top }}
        />
      )}
    </div>
  );
}

interface RowProps {
  readonly row: CableSection;
  readonly index: number;
  readonly isSelected: boolean;
  /** Whether the Tab key reaches this row. The arrow keys move from there. */
  readonly isCurrent: boolean;
  readonly isReplaced: boolean;
  readonly list: ListName;
  readonly onSelect: (id: SectionId) => void;
  readonly onReplace: (ids: readonly SectionId[], isOn: boolean) => void;
}

const Row = memo(function Row({ row, index, isSelected, isCurrent, isReplaced, list, onSelect, onReplace }: RowProps) {
  const id = row.CableObjectId;
  const step = healthStep(row);
  const texts = textsOf(row);
  return (
    <tr
      className="pickable"
      data-testid="section-row"
      data-index={index}
      data-key={id}
      data-modelled={step !== null}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onSelect(id)}
    >
      <td className="tick" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t('assethealth.replaceOne', { name: nameOf(row), list })}
          checked={isReplaced}
          onChange={(event) => onReplace([id], event.target.checked)}
        />
      </td>
      {COLUMNS.map(({ key, isNumber, title }) => (
        <td key={key} className={isNumber ? 'number' : undefined} data-tip={title?.(row, NOW) || undefined}>
          {key === 'hi' && <i className="swatch" data-none={step === null} style={step === null ? undefined : { background: `var(--band-${step})` }} aria-hidden="true" />}
          {texts[key]}
        </td>
      ))}
    </tr>
  );
});
