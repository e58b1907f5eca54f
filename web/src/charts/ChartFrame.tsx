// The frame of every chart: title, export, table view, and its states: loading, empty, or failed. A failed chart keeps its last data.
import { useState, type ReactNode, type RefObject } from 'react';
import { KeptSince } from '../ui/KeptSince';
import { Menu } from '../ui/Menu';
import { run, useExports } from '../ui/exports';
import { notice } from '../ui/notice';
import { problemOf } from '../wire/rest';
import { DataTable } from './DataTable';
import type { Subject } from './export/picture';
import type { Table } from './table';
import { t } from '../words';

const FORMATS = [
  ['png', 'PNG'],
  ['jpg', 'JPEG'],
  ['pdf', 'PDF'],
  ['svg', 'SVG'],
  ['csv', 'CSV'],
  ['xls', 'XLS'],
  ['xlsx', 'XLSX'],
] as const;

interface Props {
  readonly title: string;
  readonly about: string;
  /** The asset, for the names of files. */
  readonly subject: string;
  readonly zone: string;
  readonly height: number;
  /** Null until there are data. */
  readonly table: Table | null;
  readonly isEmpty: boolean;
  readonly isLoading: boolean;
  /** Why the data are missing or out of date; empty if they are not. */
  readonly failure: string;
  readonly onRetry: () => void;
  /** The message of an empty chart. */
  readonly empty: string;
  /** The time from which the data are kept, epoch ms; only if the span begins before this time. */
  readonly keptSince?: number | null;
  /** Returns the subject of exported files. */
  readonly picture: () => Subject | null;
  /** Controls beside the title. */
  readonly tools?: ReactNode;
  readonly frame?: RefObject<HTMLDivElement | null>;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

export function ChartFrame({
  title,
  about,
  subject,
  zone,
  height,
  table,
  isEmpty,
  isLoading,
  failure,
  onRetry,
  empty,
  keptSince = null,
  picture,
  tools,
  frame,
  foot,
  children,
}: Props) {
  const [isTable, setTable] = useState(false);
  const isThere = table !== null;
  const make = async (format: (typeof FORMATS)[number][0]) => {
    const subject = picture();
    if (!subject || !table || isEmpty) return null;
    const { files } = await import('./export/files');
    return files[format](subject, table);
  };
  const file = `${subject}-${title}`;
  useExports([{ name: t('charts.asCsv', { title }), file, extension: 'csv', make: () => make('csv') }]);
  const save = (format: (typeof FORMATS)[number][0]) => {
    run({ name: title, file, extension: format, make: () => make(format) }, zone).catch((error: unknown) => notice(problemOf(error)));
  };
  const menu = [
    ...FORMATS.map(([key, name]) => ({ name, testId: `save-${key}`, onChoose: () => save(key) })),
    { name: isTable ? t('charts.viewChart') : t('charts.viewData'), testId: 'view-data', onChoose: () => setTable(!isTable) },
  ];
  return (
    <article className="chart-panel" aria-busy={isLoading}>
      <header>
        <h3>{title}</h3>
        <small>{about}</small>
        {isLoading && isThere && <small className="chart-late">{t('charts.loading')}</small>}
        {tools}
        <Menu label={t('charts.exportAs', { title })} testId="chart-export" items={menu}>
          {t('charts.export')} ▾
        </Menu>
      </header>
      {failure && isThere && (
        <p className="stale" role="alert">
          {t('charts.notUpToDate', { problem: failure })}
          <button type="button" onClick={onRetry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      <div ref={frame} className="chart-frame" style={{ minHeight: height }} data-stale={Boolean(failure)}>
        {table && !isEmpty && (isTable ? <DataTable table={table} label={t('charts.data', { title })} height={height} /> : children)}
        {isThere && isEmpty && <p className="chart-said">{keptSince === null ? empty : <KeptSince at={keptSince} zone={zone} />}</p>}
        {!isThere && !failure && (
          <div className="chart-waiting" role="status">
            <span className="chart-turning">
              <i className="spinner" aria-hidden="true" /> {t('charts.loading')}
            </span>
          </div>
        )}
        {!isThere && failure && (
          <div className="chart-said" role="alert">
            <p>{failure}</p>
            <button type="button" onClick={onRetry}>
              {t('charts.tryAgain')}
            </button>
          </div>
        )}
      </div>
      {isThere && !isEmpty && keptSince !== null && (
        <p className="quiet">
          <KeptSince at={keptSince} zone={zone} />
        </p>
      )}
      {isThere && !isEmpty && foot}
    </article>
  );
}
