// A table of live rows with sorting, filter, selection of columns, copying, export, and freezing.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useMemo, useRef, useState, useSyncExternalStore, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import type { Feed, Key } from '../live/feed';
import { looksLive, qualityLetter, qualityWord, shownQuality } from '../live/freshness';
import { useLink, useLive, useServerSecond } from '../live/live';
import { useRow, useVersion } from '../live/useFeed';
import { csv } from '../ui/csv';
import { useExports } from '../ui/exports';
import { age } from '../ui/format';
import { toast } from '../ui/toast';
import { cells, filtered, nextSorting, sorted, tabbed, type Moment, type Sorting, type TableColumn } from './columns';
import { Chosen, useChosen } from './Chosen';
import { Frame } from './Frame';
import { t } from '../words';

/** The time and quality of a row. */
export interface Reported {
  readonly at: number | null;
  readonly quality: number;
  readonly ageLimitMs: number | null | undefined;
}

export interface Props<T> {
  readonly title: string;
  /** A short note beside the title. */
  readonly about?: string;
  /** Name of exported files, and storage key of the selected columns. */
  readonly name: string;
  readonly feed: Feed<T>;
  readonly keyOf: (row: T) => Key;
  readonly columns: readonly TableColumn<T>[];
  readonly zone: string;
  readonly testId: string;
  /** The default order. */
  readonly order?: (a: T, b: T) => number;
  /** For rows of values: their age is shown in the first column. Rows without it are as live as the link. */
  readonly reported?: (row: T) => Reported;
  readonly bar?: (row: T) => 'alarm' | 'warn' | undefined;
  readonly selected?: Key | null;
  readonly onSelect?: (key: Key) => void;
  /** Buttons at the end of each row. */
  readonly actions?: (row: T) => ReactNode;
  readonly empty?: string;
  /** Selects the rows to show, such as those of one asset. */
  readonly where?: (row: T) => boolean;
  /** Whether the rows are those of a past period, which do not change. */
  readonly isPast?: boolean;
  /** Usual height of a row, px, if its texts have several lines. */
  readonly rowPx?: number;
  /** Additional tools of this table. They receive the visible rows in order. */
  readonly more?: (shown: readonly T[]) => ReactNode;
}

const ROW_PX = 28;
const PIN_MS = 2_000;

export function LiveTable<T>({ title, about, name, feed, keyOf, columns, zone, testId, order, reported, bar, selected, onSelect, actions, empty, where, isPast = false, rowPx = ROW_PX, more }: Props<T>) {
  'use no memo';
  const { connection } = useLive();
  const link = useLink();
  const second = useServerSecond() ?? Date.now();
  const [frozen, setFrozen] = useState<{ at: number; rows: ReadonlyMap<Key, T>; arrived: number } | null>(null);
  const [current, setCurrent] = useState(0);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [filter, setFilter] = useState('');
  const chosen = useChosen(name, columns);
  const shape = useSyncExternalStore(feed.subscribe, () => feed.shape);
  const version = useVersion(feed);
  const moment = useMemo<Moment>(() => ({ now: second, zone }), [second, zone]);
  // Rows are sorted once a second, not at each change of a value.
  const beat = sorting || filter || order || where ? second : 0;
  const ordered = useMemo(() => {
    const rows = (frozen ? [...frozen.rows.values()] : [...feed.rows()]).filter((row) => where?.(row) ?? true);
    const own = order ? rows.sort(order) : rows;
    return sorted(filtered(own, columns, filter, moment), columns, sorting, moment).map(keyOf);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `beat` and `shape` change when the rows must be sorted again
  }, [feed, shape, frozen, columns, filter, sorting, beat, where]);
  // Rows with buttons must not move under the pointer. For a short time after pointer or key input the order stays and new rows wait.
  const pin = useRef<{ until: number; keys: readonly Key[] }>({ until: 0, keys: [] });
  const isPinned = actions !== undefined && performance.now() < pin.current.until;
  const keys = useMemo(() => {
    if (!isPinned) return ordered;
    const there = new Set(ordered);
    return pin.current.keys.filter((key) => there.has(key));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `second` makes the end of the pinned time visible
  }, [ordered, isPinned, second]);
  const hold = () => {
    if (performance.now() >= pin.current.until) pin.current.keys = keys;
    pin.current.until = performance.now() + PIN_MS;
  };
  const rowsNow = () => keys.map((key) => (frozen ? frozen.rows.get(key) : feed.get(key))).filter((row) => row !== undefined);
  useExports([
    {
      name: t('tables.asXlsx', { title }),
      file: name,
      extension: 'xlsx',
      make: async () => {
        if (keys.length === 0) return null;
        const rows = cells(rowsNow(), chosen.columns, moment);
        const { withTimes, xlsx } = await import('../ui/xlsx');
        return xlsx(title, chosen.columns.map((column) => column.name), withTimes(rows, zone));
      },
    },
    {
      name: t('tables.asCsv', { title }),
      file: name,
      extension: 'csv',
      make: () => (keys.length === 0 ? null : new Blob([csv(chosen.columns.map((column) => column.name), cells(rowsNow(), chosen.columns, moment))], { type: 'text/csv' })),
    },
  ]);
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: keys.length, getScrollElement: () => scroll.current, estimateSize: () => rowPx, overscan: 12, getItemKey: (index) => keys[index] ?? index });
  const shown = virtual.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const freeze = (now: boolean) => setFrozen(now ? { at: connection.clock.now() ?? Date.now(), rows: new Map(feed.rows().map((row) => [keyOf(row), row])), arrived: feed.arrived } : null);
  const copy = () =>
    void navigator.clipboard.writeText(tabbed(rowsNow(), chosen.columns, moment)).then(
      () => toast(t('tables.copied', { count: keys.length })),
      () => toast(t('tables.couldNotCopy'), 'error'),
    );
  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('tr[data-index]');
    if (!row || event.target !== row) return;
    const at = Number(row.dataset.index);
    const key = keys[at];
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: keys.length - 1 }[event.key];
    if (event.key === 'Enter' && key !== undefined) onSelect?.(key);
    else if (to !== undefined && to >= 0 && to < keys.length) {
      virtual.scrollToIndex(to);
      setCurrent(to);
      requestAnimationFrame(() => scroll.current?.querySelector<HTMLElement>(`tr[data-index="${to}"]`)?.focus());
    } else return;
    event.preventDefault();
  };
  const row = { feed, columns: chosen.columns, moment, linkUp: link.up, testId, reported, bar, actions, onSelect };
  return (
    <Frame
      title={title}
      about={about}
      count={keys.length}
      frozenAt={frozen?.at ?? null}
      onFreeze={freeze}
      waiting={frozen && version >= 0 ? feed.arrived - frozen.arrived : 0}
      state={feed.state}
      problem={feed.problem}
      empty={(frozen?.rows.size ?? feed.size) === 0}
      none={empty}
      keptSince={feed.keptSince}
      zone={zone}
      live={link.up}
      isPast={isPast}
      tools={
        <>
          {more?.(rowsNow())}
          <input type="search" className="filter" placeholder={t('tables.filter')} aria-label={t('tables.filterRows')} value={filter} onChange={(event) => setFilter(event.target.value)} data-testid={`${testId}-filter`} />
          <Chosen {...chosen} all={columns} />
          <button type="button" className="plain" onClick={copy} disabled={keys.length === 0}>
            {t('tables.copy')}
          </button>
        </>
      }
    >
      {keys.length === 0 && <div className="notice">{t('tables.nothingMatches')}</div>}
      <div className="scroll" ref={scroll} hidden={keys.length === 0} data-testid={`${testId}-table`}>
        <table aria-rowcount={keys.length + 1} style={rowPx === ROW_PX ? undefined : ({ '--row': `${rowPx}px` } as CSSProperties)}>
          <thead>
            <tr aria-rowindex={1}>
              {chosen.columns.map((column) => (
                <th key={column.key} data-column={column.key} className={column.isNumber ? 'number' : undefined} aria-sort={sorting?.key === column.key ? (sorting.descending ? 'descending' : 'ascending') : undefined}>
                  <button type="button" onClick={() => setSorting((before) => nextSorting(before, column.key))}>
                    {column.name}
                    <i aria-hidden="true">{sorting?.key === column.key ? (sorting.descending ? ' ▾' : ' ▴') : ''}</i>
                  </button>
                </th>
              ))}
              {actions && <th data-column="actions">{t('tables.actions')}</th>}
            </tr>
          </thead>
          <tbody onKeyDown={onKeyDown} onPointerMove={actions && hold} onFocus={actions && hold}>
            {above > 0 && <tr className="spacer" style={{ height: above }} aria-hidden="true" />}
            {shown.map(({ index, key }) => (
              <Row key={String(key)} id={key as Key} index={index} held={frozen?.rows.get(key as Key)} isSelected={selected === key} isCurrent={index === Math.min(current, keys.length - 1) || (!shown.some((item) => item.index === current) && index === shown[0]?.index)} {...row} />
            ))}
            {below > 0 && <tr className="spacer" style={{ height: below }} aria-hidden="true" />}
          </tbody>
        </table>
      </div>
    </Frame>
  );
}

interface RowProps<T> extends Pick<Props<T>, 'feed' | 'columns' | 'testId' | 'reported' | 'bar' | 'actions' | 'onSelect'> {
  readonly id: Key;
  readonly index: number;
  /** The row at the time of freezing. */
  readonly held: T | undefined;
  readonly isSelected: boolean;
  /** Whether the Tab key reaches this row. The arrow keys move from there. */
  readonly isCurrent: boolean;
  readonly moment: Moment;
  readonly linkUp: boolean;
}

const Row = memo(function Row<T>({ id, index, held, isSelected, isCurrent, feed, columns, moment, linkUp, testId, reported, bar, actions, onSelect }: RowProps<T>) {
  const now = useRow(feed, id);
  const row = held ?? now;
  const choose = useCallback(() => onSelect?.(id), [onSelect, id]);
  if (row === undefined) return null;
  const told = reported?.(row);
  const quality = told ? shownQuality(told.at === null ? undefined : { v: 0, q: told.quality, t: told.at }, told.ageLimitMs, moment.now, linkUp) : null;
  const live = quality === null ? linkUp : looksLive(quality);
  const mark = bar?.(row) ?? (quality !== null && !live ? 'warn' : undefined);
  return (
    <tr
      data-testid={`${testId}-row`}
      data-index={index}
      data-key={id}
      data-bar={mark}
      data-dim={!live}
      data-quality={quality === null ? undefined : qualityWord(quality)}
      aria-rowindex={index + 2}
      aria-selected={onSelect ? isSelected : undefined}
      className={onSelect ? 'pickable' : undefined}
      tabIndex={onSelect ? (isCurrent ? 0 : -1) : undefined}
      onClick={onSelect ? choose : undefined}
    >
      {columns.map((column, at) => (
        <td key={column.key} className={column.isNumber ? 'number' : undefined} data-tip={column.title?.(row, moment)}>
          {at === 0 && quality !== null && qualityLetter(quality) && <b role="img" aria-label={qualityWord(quality)} data-tip={qualityWord(quality)}>{qualityLetter(quality)} </b>}
          {column.text(row, moment)}
          {at === 0 && quality !== null && !live && told?.at != null && (
            <small>
              {' '}
              {age(moment.now - told.at)} {t('tables.old')}
            </small>
          )}
        </td>
      ))}
      {actions && <td className="row-actions">{actions(row)}</td>}
    </tr>
  );
}) as <T>(props: RowProps<T>) => ReactNode;
