// The rows of a report as a table with sorting, filter, copying, and value counts in the headings. Only the visible rows are rendered.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { filtered, nextSorting, sorted, tabbed, type Sorting } from '../../table/columns';
import { KeptSince } from '../../ui/KeptSince';
import { number } from '../../ui/format';
import { toast } from '../../ui/toast';
import type { ReportColumn, Shown } from '../../wire/reports';
import { columnsOf } from './columns';
import { t } from '../../words';

interface Props {
  readonly title: string;
  readonly shown: Shown;
  readonly definitions: readonly ReportColumn[];
  readonly zone: string;
  /** The server's time, epoch ms. */
  readonly now: () => number;
}

const ROW_PX = 28;

export function RowsTable({ title, shown, definitions, zone, now }: Props) {
  'use no memo';
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [filter, setFilter] = useState('');
  const columns = useMemo(() => columnsOf(shown, definitions), [shown, definitions]);
  // Times are formatted relative to the arrival of the rows, so that their texts do not change.
  const [came] = useState(now);
  const moment = useMemo(() => ({ now: came, zone }), [came, zone]);
  const rows = useMemo(() => sorted(filtered(shown.rows, columns, filter, moment), columns, sorting, moment), [shown.rows, columns, filter, sorting, moment]);
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroll.current, estimateSize: () => ROW_PX, overscan: 12 });
  const inSight = virtual.getVirtualItems();
  const above = inSight[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0);
  const copy = () =>
    void navigator.clipboard.writeText(tabbed(rows, columns, moment)).then(
      () => toast(t('tables.copied', { count: rows.length })),
      () => toast(t('tables.couldNotCopy'), 'error'),
    );
  return (
    <section className="report-rows" aria-label={title}>
      <div className="bar">
        <span role="status" data-testid="report-count">
          <b>{title}</b> <small>{filter ? t('reports.rowsOf', { rows: rows.length, count: shown.rows.length }) : t('tables.rows', { count: rows.length, number: number(rows.length, 0) })}</small>
        </span>
        {shown.keptSince != null && (
          <span className="quiet">
            <KeptSince at={shown.keptSince} zone={zone} />
          </span>
        )}
        {shown.more && (
          <span className="frozen" data-testid="report-more">
            {t('reports.thereIsMore', { rows: shown.rows.length })}
          </span>
        )}
        <span className="tools">
          <input type="search" className="filter" placeholder={t('tables.filter')} aria-label={t('tables.filterRows')} data-testid="report-filter" value={filter} onChange={(event) => setFilter(event.target.value)} />
          <button type="button" className="plain" data-testid="report-copy" disabled={rows.length === 0} onClick={copy}>
            {t('tables.copy')}
          </button>
        </span>
      </div>
      {rows.length === 0 && <div className="notice">{t('tables.nothingMatches')}</div>}
      <div className="scroll" ref={scroll} hidden={rows.length === 0} tabIndex={0} role="region" aria-label={t('reports.rowsOfReport', { name: title })} data-testid="report-rows">
        <table aria-rowcount={rows.length + 1} aria-label={title}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th key={column.key} className={column.isNumber ? 'number' : undefined} data-tip={column.meaning || undefined} aria-sort={sorting?.key === column.key ? (sorting.descending ? 'descending' : 'ascending') : undefined}>
                  <button type="button" onClick={() => setSorting((before) => nextSorting(before, column.key))}>
                    {column.name}
                    <i aria-hidden="true">{sorting?.key === column.key ? (sorting.descending ? ' ▾' : ' ▴') : ''}</i>
                    <small>{t('reports.different', { n: column.different })}</small>
                  </button>
                  {column.meaning && <span className="visually-hidden">{column.meaning}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr className="spacer" style={{ height: above }} aria-hidden="true" />}
            {inSight.map(({ index, key }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <tr key={key} data-testid="report-row" aria-rowindex={index + 2}>
                  {columns.map((column) => (
                    <td key={column.key} className={column.isNumber ? 'number' : undefined}>
                      {column.text(row, moment)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {below > 0 && <tr className="spacer" style={{ height: below }} aria-hidden="true" />}
          </tbody>
        </table>
      </div>
    </section>
  );
}
