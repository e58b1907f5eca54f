// The frame of a live table: title, tools, Auto Refresh, the frozen state, and the message of an empty table.
import type { ReactNode } from 'react';
import { clockTime, number } from '../ui/format';
import { KeptSince } from '../ui/KeptSince';
import { t } from '../words';

interface Props {
  title: string;
  about?: string | undefined;
  count: number;
  frozenAt: number | null;
  onFreeze(frozen: boolean): void;
  waiting: number;
  state: 'loading' | 'ready' | 'failed';
  problem: string;
  empty: boolean;
  /** The message of a table without rows. */
  none?: string | undefined;
  /** The time from which rows are kept, epoch ms; null or absent if earlier rows exist. */
  keptSince?: number | null;
  zone: string;
  live: boolean;
  /** Whether the rows do not change, so there is nothing to refresh. */
  isPast?: boolean;
  tools?: ReactNode;
  children: ReactNode;
}

export function Frame({ title, about, count, frozenAt, onFreeze, waiting, state, problem, empty, none, keptSince = null, zone, live, isPast = false, tools, children }: Props) {
  return (
    <>
      <div className="bar">
        <span>
          <b>{title}</b> <small>{[about, !empty && t('tables.rows', { count, number: number(count, 0) })].filter(Boolean).join(' · ')}</small>
        </span>
        {frozenAt !== null && (
          <span className="frozen" data-testid="frozen" role="status">
            {t('tables.frozenAt')} {clockTime(frozenAt, zone)} · {waiting} {t('tables.new')}
          </span>
        )}
        {!isPast && (!live || (state === 'failed' && !empty)) && (
          <span className="frozen" data-testid="not-live">
            {t('tables.notLive')}
            {problem && `: ${problem}`}
          </span>
        )}
        <span className="tools">
          {!empty && tools}
          {!isPast && (
            <label>
              {t('tables.autoRefresh')}
              <input type="checkbox" role="switch" checked={frozenAt === null} onChange={(event) => onFreeze(!event.target.checked)} />
            </label>
          )}
        </span>
      </div>
      {state === 'loading' && empty && <div className="notice">{t('tables.loading')}</div>}
      {state === 'failed' && empty && (
        <div className="notice" role="alert">
          {problem || t('tables.somethingWentWrong')}
        </div>
      )}
      {state === 'ready' && empty && <div className="notice">{keptSince === null ? (none ?? t('tables.noDataAvailable')) : <KeptSince at={keptSince} zone={zone} />}</div>}
      {!empty && children}
      {!empty && keptSince !== null && (
        <p className="quiet">
          <KeptSince at={keptSince} zone={zone} />
        </p>
      )}
    </>
  );
}
