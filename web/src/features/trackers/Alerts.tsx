// Energy-efficiency alerts: active alarms, and feeders with unbalance or a poor power factor (our definition, docs/reference/alarms.md).
import { useServerSecond } from '../../live/live';
import { eventTime, number } from '../../ui/format';
import { Answered, useAskRepeated } from '../../ui/useAsk';
import type { AlertRow } from '../../wire/monitoring';
import { get } from '../../wire/rest';
import { t } from '../../words';

/** Interval of updates, ms. The server computes alerts at each request. */
const EVERY_MS = 40_000;

export function Alerts({ token, scope, zone, onShow }: { token: string; scope: string; zone: string; onShow: (row: AlertRow) => void }) {
  const now = useServerSecond() ?? Date.now();
  const asked = useAskRepeated(`alerts-${scope}`, (asking) => get<readonly AlertRow[]>(token, `eealerts/${scope}`, asking), EVERY_MS);
  return (
    <>
      <div className="bar">
        <b>{t('trackers.alerts')}</b>
        <small>{t('trackers.alertsAbout')}</small>
      </div>
      <Answered asked={asked}>
        {(rows) =>
          rows.length === 0 ? (
            <div className="notice">{t('trackers.noAlerts')}</div>
          ) : (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th>{t('trackers.priority')}</th>
                    <th>{t('trackers.location')}</th>
                    <th>{t('trackers.asset')}</th>
                    <th>{t('trackers.what')}</th>
                    <th className="number">{t('trackers.value')}</th>
                    <th className="number">{t('trackers.limit')}</th>
                    <th>{t('trackers.since')}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row, index) => (
                    <tr key={`${row.kind}-${row.alarmId ?? row.assetId}-${index}`} className="pickable" tabIndex={0} data-testid="alert-row" data-bar={row.priority === 1 ? 'alarm' : 'warn'} onClick={() => onShow(row)} onKeyDown={(event) => event.key === 'Enter' && onShow(row)}>
                      <td>P{row.priority}</td>
                      <td>{row.locationName}</td>
                      <td>{row.assetName ?? '–'}</td>
                      <td>{row.text}</td>
                      <td className="number">
                        {number(row.value, 2)} {row.unit}
                      </td>
                      <td className="number">{number(row.limit, 2)}</td>
                      <td>{row.since ? eventTime(Date.parse(row.since), now, zone) : '–'}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answered>
    </>
  );
}
