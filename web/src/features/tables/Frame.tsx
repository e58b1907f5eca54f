// What stands around every live table: Auto Refresh, whether it is frozen, and why there is nothing to see.
import type { ReactNode } from 'react';
import { clockTime } from '../../ui/format';
import { t } from '../../words';

interface Props {
  title: string;
  frozenAt: number | null;
  onFreeze(frozen: boolean): void;
  waiting: number;
  state: 'loading' | 'ready' | 'failed';
  problem: string;
  empty: boolean;
  zone: string;
  live: boolean;
  children: ReactNode;
}

export function Frame({ title, frozenAt, onFreeze, waiting, state, problem, empty, zone, live, children }: Props) {
  return (
    <>
      <div className="bar">
        <span>{title}</span>
        {frozenAt !== null && (
          <span className="frozen" data-testid="frozen">
            {t('tables.frozenAt')} {clockTime(frozenAt, zone)} · {waiting} {t('tables.new')}
          </span>
        )}
        {!live && <span className="frozen">{t('tables.notLive')}{problem && `: ${problem}`}</span>}
        <label>
          {t('tables.autoRefresh')}
          <input type="checkbox" role="switch" checked={frozenAt === null} onChange={(event) => onFreeze(!event.target.checked)} />
        </label>
      </div>
      {state === 'loading' && empty && <div className="notice">{t('tables.loading')}</div>}
      {state === 'failed' && <div className="notice">{problem || t('tables.somethingWentWrong')}</div>}
      {state === 'ready' && empty && <div className="notice">{t('tables.noDataAvailable')}</div>}
      {!empty && <div className="scroll">{children}</div>}
    </>
  );
}
