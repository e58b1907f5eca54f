// RTU health and communication outages: which gateways are heard, since when.
import { useMemo } from 'react';
import { useOutletContext } from 'react-router';
import { useServerSecond } from '../live/live';
import { age, eventTime } from '../ui/format';
import type { Login } from '../wire/rest';
import type { Given } from './Shell';
import { t } from '../words';

export function Communication({ login, view }: { login: Login; view: string }) {
  const { gateways } = useOutletContext<Given>();
  const now = useServerSecond() ?? Date.now();
  const rows = useMemo(() => gateways.filter(({ online }) => view !== 'outages' || !online), [gateways, view]);
  if (rows.length === 0) return <div className="notice">{t('overview.allHeard')}</div>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{t('overview.rtu')}</th>
            <th>{t('overview.state')}</th>
            <th>{t('overview.since')}</th>
            <th>{t('overview.lastMessage')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-bar={row.online ? undefined : 'warn'}>
              <td>{row.name}</td>
              <td>{row.online ? t('overview.heard') : t('overview.silent')}</td>
              <td>{row.since == null ? '–' : eventTime(row.since, now, login.timeZone)}</td>
              <td>{row.lastSeen == null ? '–' : age(now - row.lastSeen)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
