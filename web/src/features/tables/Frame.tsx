// What stands around every live table: Auto Refresh, whether it is frozen, and why there is nothing to see.
import type { ReactNode } from 'react';
import { clockTime } from '../../ui/format';

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
            Frozen at {clockTime(frozenAt, zone)} · {waiting} new
          </span>
        )}
        {!live && <span className="frozen">Not live{problem && `: ${problem}`}</span>}
        <label>
          Auto Refresh
          <input type="checkbox" role="switch" checked={frozenAt === null} onChange={(event) => onFreeze(!event.target.checked)} />
        </label>
      </div>
      {state === 'loading' && empty && <div className="notice">Loading...</div>}
      {state === 'failed' && <div className="notice">{problem || 'Something went wrong...'}</div>}
      {state === 'ready' && empty && <div className="notice">No data available</div>}
      {!empty && <div className="scroll">{children}</div>}
    </>
  );
}
