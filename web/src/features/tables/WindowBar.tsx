// The window of a table of events: live with its name, or a period of the past that can be made longer.
import { useState } from 'react';
import { instantOf, wallOf } from '../../charts/zone';
import { useServerSecond } from '../../live/live';
import { DateField } from '../../ui/DateField';
import { written } from '../../ui/dates';
import { t } from '../../words';
import type { Past, Period } from './usePast';

interface Props<T> {
  readonly past: Past<T>;
  /** The name of the live window. */
  readonly live: string;
  /** The length of the period that opens first, ms. */
  readonly firstMs: number;
  readonly zone: string;
  readonly testId: string;
}

const MINUTE = 60_000;

/** The local time of an instant as the value of a field. */
const fieldOf = (ms: number, zone: string) => new Date(wallOf(ms, zone)).toISOString().slice(0, 16);
const instantIn = (value: string, zone: string) => (value ? instantOf(Date.parse(`${value}Z`), zone) : Number.NaN);

/** A period as text. */
export function periodText({ from, to }: Period, zone: string): string {
  return t('tables.period', { from: written(fieldOf(from, zone)), to: written(fieldOf(to, zone)) });
}

export function WindowBar<T>({ past, live, firstMs, zone, testId }: Props<T>) {
  const now = useServerSecond() ?? Date.now();
  const [draft, setDraft] = useState<{ from: string; to: string } | null>(null);
  const end = Math.ceil(now / MINUTE) * MINUTE;
  const choose = (period: Period) => {
    setDraft({ from: fieldOf(period.from, zone), to: fieldOf(period.to, zone) });
    past.open(period);
  };
  const wanted = draft && { from: instantIn(draft.from, zone), to: instantIn(draft.to, zone) };
  const isRight = wanted !== null && wanted.from < wanted.to;
  return (
    <div className="window-bar" data-testid={`${testId}-window`}>
      <div className="choice" role="group" aria-label={t('tables.window')}>
        <button type="button" aria-pressed={past.period === null} data-testid={`${testId}-live`} onClick={past.close}>
          {t('tables.live')}
        </button>
        <button type="button" aria-pressed={past.period !== null} data-testid={`${testId}-past`} onClick={() => past.period ?? choose({ from: end - firstMs, to: end })}>
          {t('tables.past')}
        </button>
      </div>
      {past.period === null ? (
        <span data-testid={`${testId}-window-name`}>{live}</span>
      ) : (
        <>
          {draft && (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                if (wanted && isRight) past.open(wanted);
              }}
            >
              <DateField hasTime className="filter wide" label={t('tables.from')} value={draft.from} onChange={(from) => setDraft({ ...draft, from })} testId={`${testId}-from`} />
              <DateField hasTime className="filter wide" label={t('tables.to')} value={draft.to} onChange={(to) => setDraft({ ...draft, to })} testId={`${testId}-to`} />
              <button type="submit" disabled={!isRight} data-testid={`${testId}-show`}>
                {t('tables.show')}
              </button>
            </form>
          )}
          <span data-testid={`${testId}-window-name`}>{periodText(past.period, zone)}</span>
        </>
      )}
      <button type="button" className="plain" disabled={past.isLoading} data-testid={`${testId}-older`} onClick={() => (past.period ? past.older() : choose({ from: end - firstMs, to: end }))}>
        {past.isLoading ? t('tables.loading') : t('tables.loadOlder')}
      </button>
      {past.problem && <span role="alert">{past.problem}</span>}
    </div>
  );
}
