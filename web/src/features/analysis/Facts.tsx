// A table of computed rows: title, notes on doubtful rows, selection of one row, and export.
import { useId, type ReactNode } from 'react';
import { cells, type TableColumn } from '../../table/columns';
import { csv } from '../../ui/csv';
import { useExports } from '../../ui/exports';
import { KeptSince } from '../../ui/KeptSince';
import type { Asked } from '../../ui/useAsk';
import { t } from '../../words';

interface Props<T> {
  readonly title: ReactNode;
  /** The title as text, for files and screen readers. */
  readonly name: string;
  readonly asked: Pick<Asked<unknown>, 'problem' | 'retry'>;
  /** Null until the first answer. */
  readonly rows: readonly T[] | null;
  readonly columns: readonly TableColumn<T>[];
  readonly keyOf: (row: T) => string | number;
  readonly zone: string;
  readonly now: () => number;
  readonly testId: string;
  readonly doubt?: (row: T) => string;
  /** The remark on a row in the exported file. Default: `doubt`. */
  readonly doubtInFile?: (row: T) => string;
  readonly selected?: string | number | null;
  readonly onSelect?: (row: T) => void;
  readonly empty?: string;
  /** The time from which the rows are kept, epoch ms; only if the span begins before this time. */
  readonly keptSince?: number | null | undefined;
}

export function Facts<T>({
  title,
  name,
  asked: { problem, retry },
  rows,
  columns,
  keyOf,
  zone,
  now,
  testId,
  doubt,
  doubtInFile = doubt,
  selected,
  onSelect,
  empty,
  keptSince = null,
}: Props<T>) {
  const heading = useId();
  const moment = { now: now(), zone };
  useExports([
    {
      name: t('tables.asCsv', { title: name }),
      file: name,
      extension: 'csv',
      make: () =>
        rows && rows.length > 0
          ? new Blob([csv([...columns.map((column) => column.name), ...(doubtInFile ? [t('analytics.remarks')] : [])], file(rows))], {
              type: 'text/csv',
            })
          : null,
    },
  ]);
  const file = (all: readonly T[]) => cells(all, columns, moment).map((line, index) => (doubtInFile ? [...line, doubtInFile(all[index] as T)] : line));
  return (
    <section className="facts" aria-labelledby={heading}>
      <h3 id={heading}>{title}</h3>
      {problem && rows && (
        <p className="stale" role="alert">
          {t('charts.notUpToDate', { problem })}{' '}
          <button type="button" className="plain" onClick={retry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      {!rows && !problem && <Waiting />}
      {!rows && problem && (
        <div className="failed" role="alert">
          <p>{problem}</p>
          <button type="button" onClick={retry}>
            {t('charts.tryAgain')}
          </button>
        </div>
      )}
      {rows?.length === 0 && keptSince === null && <p className="quiet">{empty ?? t('charts.noDataFoundToDisplay')}</p>}
      {rows && keptSince !== null && (
        <p className="quiet">
          <KeptSince at={keptSince} zone={zone} />
        </p>
      )}
      {rows && rows.length > 0 && (
        <div className="facts-scroll" tabIndex={0} role="region" aria-labelledby={heading}>
          <table data-testid={testId} aria-labelledby={heading}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.key} scope="col" className={column.isNumber ? 'number' : undefined}>
                    {column.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => {
                const key = keyOf(row);
                const remark = doubt?.(row);
                return (
                  <tr
                    key={key}
                    data-testid={`${testId}-row`}
                    data-key={key}
                    data-bar={remark ? 'warn' : undefined}
                    data-chosen={selected === key}
                  >
                    {columns.map((column, at) => (
                      <td key={column.key} className={column.isNumber ? 'number' : undefined} data-tip={column.title?.(row, moment)}>
                        {at === 0 && onSelect ? (
                          <button type="button" className="plain choose" aria-pressed={selected === key} onClick={() => onSelect(row)}>
                            {column.text(row, moment)}
                          </button>
                        ) : (
                          column.text(row, moment)
                        )}
                        {at === 0 && remark && <small>{remark}</small>}
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Shows that a request is running. It appears after a short delay, because most answers are faster. */
export function Waiting() {
  return (
    <p className="waiting" role="status">
      <i className="spinner inline" aria-hidden="true" /> {t('analytics.loading')}
    </p>
  );
}
