// The list of schedules: report, time, next run, and result of the last run. On a phone each schedule is a block.
import { useState } from 'react';
import { headerTime } from '../../ui/format';
import type { Schedule } from '../../wire/reports-kept';
import { nextText, stateText } from './run';
import { byName } from './saved';
import { whenText } from './schedule';
import { t } from '../../words';

/** The names of the report and places of a schedule. */
export interface Told {
  readonly report: string;
  readonly places: string;
}

interface Props {
  readonly rows: readonly Schedule[];
  readonly told: (schedule: Schedule) => Told;
  readonly zone: string;
  readonly now: () => number;
  readonly readOnly: boolean;
  /** Whether the last update failed, so that the list may be out of date. */
  readonly isStale: boolean;
  readonly open: number | null;
  /** Id of the schedule that is being switched on or off. */
  readonly switching: number | null;
  readonly onOpen: (id: number) => void;
  readonly onSwitch: (schedule: Schedule, enabled: boolean) => void;
}

/** Number of visible rows. Longer lists have a search field. */
const SEEN = 10;

export function ScheduleTable({ rows, told, zone, now, readOnly, isStale, open, switching, onOpen, onSwitch }: Props) {
  const [filter, setFilter] = useState('');
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = byName(rows).filter((schedule) => {
    const { report, places } = told(schedule);
    const text = `${schedule.name} ${report} ${places}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      {rows.length > SEEN && (
        <input type="search" className="filter" placeholder={t('tables.filter')} aria-label={t('tables.filterRows')} data-testid="schedule-filter" value={filter} onChange={(event) => setFilter(event.target.value)} />
      )}
      {shown.length === 0 && <div className="notice">{t('tables.nothingMatches')}</div>}
      {shown.length > 0 && (
        <div className="scroll">
          <table className="cards" aria-label={t('reportskept.schedules')} data-stale={isStale}>
            <thead>
              <tr>
                <th>{t('reportskept.schedule')}</th>
                <th>{t('reportskept.when')}</th>
                <th>{t('reportskept.next')}</th>
                <th>{t('reportskept.last')}</th>
                {!readOnly && <th>{t('reportskept.on')}</th>}
              </tr>
            </thead>
            <tbody>
              {shown.map((schedule) => {
                const { id, name, question, format, enabled, lastRun, mine, createdBy } = schedule;
                const { report, places } = told(schedule);
                const next = nextText(schedule, now(), zone);
                return (
                  <tr key={id} aria-selected={id === open} data-dim={!enabled} data-bar={lastRun?.state === 'failed' || next.isLate ? 'warn' : undefined}>
                    <td>
                      <button type="button" className="plain name" data-testid={`schedule-${id}`} aria-expanded={id === open} onClick={() => onOpen(id)}>
                        {name}
                      </button>
                      <small>
                        {report} · {places} · {format.toUpperCase()}
                        {!mine && createdBy !== null && ` · ${t('reportskept.by', { who: createdBy })}`}
                      </small>
                    </td>
                    <td className="sentence">{whenText(schedule, question.reportType.toLowerCase() === 'realtime')}</td>
                    <td data-label={t('reportskept.next')} data-late={next.isLate}>
                      {next.text}
                    </td>
                    <td data-label={t('reportskept.last')}>
                      {lastRun ? (
                        <>
                          <span data-run={lastRun.state}>{stateText(lastRun)}</span> <small>{headerTime(Date.parse(lastRun.due), zone)}</small>
                        </>
                      ) : (
                        <span>{t('reportskept.notYet')}</span>
                      )}
                    </td>
                    {!readOnly && (
                      <td>
                        <input
                          type="checkbox"
                          role="switch"
                          data-testid={`schedule-${id}-on`}
                          aria-label={t('reportskept.onOf', { name })}
                          checked={enabled}
                          aria-disabled={switching === id}
                          onChange={(event) => switching !== id && onSwitch(schedule, event.target.checked)}
                        />
                      </td>
                    )}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
