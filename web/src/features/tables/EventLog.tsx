// The event log: every change of a status, newest first, moving by push (specification 2, section 2.6).
import { useState } from 'react';
import { useLink, useLive, useServerSecond } from '../../live/live';
import { csv } from '../../ui/csv';
import { useExports } from '../../ui/exports';
import { eventTime } from '../../ui/format';
import type { EventRow } from '../../wire/rest';
import { Frame } from './Frame';
import { newestFirst, useRows } from './rows';
import { t } from '../../words';

interface Props {
  location: number;
  token: string;
  zone: string;
}

/** A trip and what a relay says are worth a bar; everything else is grey. */
function bar(row: EventRow): 'alarm' | 'warn' | undefined {
  if (row.ChangeTo === 'ACTIVE') return 'alarm';
  return row.ChangeTo === 'INTERMEDIATE' || row.ChangeTo === 'INVALID' ? 'warn' : undefined;
}

export function EventLog({ location, token, zone }: Props) {
  const { connection } = useLive();
  const [frozenAt, setFrozenAt] = useState<number | null>(null);
  const { rows, state, problem, waiting } = useRows<EventRow>(
    { stream: `events/location/${location}`, path: `monitoring/dieventlog/${location}`, token, merge: newestFirst, pollMs: 40_000 },
    frozenAt !== null,
  );
  const cells = () => rows.map((row) => [row.AssetName, row.DISignal, row.EventTime, row.ChangeTo]);
  useExports([{ name: t('tables.eventLogAsCsv'), file: 'event-log', extension: 'csv', make: () => (rows.length === 0 ? null : new Blob([csv([t('tables.asset'), t('tables.event'), t('tables.eventTime'), t('tables.eventState')], cells())], { type: 'text/csv' })) }]);
  const now = useServerSecond() ?? Date.now();
  const live = useLink().up;
  return (
    <Frame title={t('tables.eventLogNewestFirstRows', { length: rows.length })} frozenAt={frozenAt} onFreeze={(frozen) => setFrozenAt(frozen ? (connection.clock.now() ?? Date.now()) : null)} waiting={waiting} state={state} problem={problem} empty={rows.length === 0} zone={zone} live={live}>
      <table aria-rowcount={rows.length}>
        <thead>
          <tr>
            <th>{t('tables.asset')}</th>
            <th>{t('tables.event')}</th>
            <th>{t('tables.eventTime')}</th>
            <th>{t('tables.eventState')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, 400).map((row) => (
            <tr key={row.offset} data-testid="event-row" data-offset={row.offset} data-bar={bar(row)} data-dim={!live}>
              <td>{row.AssetName}</td>
              <td>{row.DISignal}</td>
              <td title={t('tables.received', { true: eventTime(Date.parse(row.ReceivedTime), now, zone, true) })}>{eventTime(Date.parse(row.EventTime), now, zone, true)}</td>
              <td>{row.ChangeTo}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Frame>
  );
}
