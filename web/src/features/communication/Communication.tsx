// Communication on a day: health of the RTUs, outages of gateways with their duration, and late values.
import { useState } from 'react';
import { useServerSecond } from '../../live/live';
import { KeptSince } from '../../ui/KeptSince';
import { DateField } from '../../ui/DateField';
import { TabList } from '../../ui/TabList';
import { age, eventTime, number } from '../../ui/format';
import { Answered, useAskRepeated } from '../../ui/useAsk';
import { get, type Schemas } from '../../wire/rest';
import { t } from '../../words';

type RtuRow = Schemas['RtuStatusRow'];
type HoursRow = Schemas['RtuHoursRow'];
type FeederRow = Schemas['FeederOnRow'];
type OutageRow = Schemas['FeederOutageRow'];

interface Props {
  readonly token: string;
  readonly zone: string;
  /** The health of the RTUs, or the outages. */
  readonly view: 'rtu-health' | 'outages';
  readonly selected: number | null;
  readonly onSelect: (location: number) => void;
}

/** Interval of updates, ms, because the figures of today change. */
const EVERY_MS = 40_000;

const TABS = { 'rtu-health': [['rtu', t('communication.rtus')]], outages: [['hours', t('communication.byHour')], ['off', t('communication.feedersOff')], ['feeders', t('communication.feeders')]] } as const;

export function Communication({ token, zone, view, selected, onSelect }: Props) {
  const [tab, setTab] = useState<string>(TABS[view][0][0]);
  const [date, setDate] = useState('');
  const own = TABS[view].some(([key]) => key === tab) ? tab : TABS[view][0][0];
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(useServerSecond() ?? Date.now());
  const day = date || '0';
  const rest = { token, zone, day, selected, onSelect };
  return (
    <>
      <div className="bar">
        {TABS[view].length > 1 ? <TabList label={t('communication.view')} tabs={TABS[view]} current={own} onChoose={setTab} /> : <b>{TABS[view][0][1]}</b>}
        <span className="tools">
          <label>
            {t('communication.day')} <DateField className="filter" max={today} value={date || today} onChange={(next) => setDate(next === today ? '' : next)} testId="communication-day" />
          </label>
        </span>
      </div>
      {own === 'rtu' && <Rtus {...rest} />}
      {own === 'hours' && <Hours {...rest} />}
      {own === 'off' && <Off {...rest} />}
      {own === 'feeders' && <Feeders {...rest} />}
    </>
  );
}

interface ViewProps extends Omit<Props, 'view'> {
  readonly day: string;
}

function useDay<T>(token: string, path: string, day: string) {
  return useAskRepeated(`${path}-${day}`, (asking) => get<readonly T[]>(token, path, asking), day === '0' ? EVERY_MS : null);
}

/** Properties of a row that selects its substation. */
function pickable(location: number, { selected, onSelect }: Pick<ViewProps, 'selected' | 'onSelect'>) {
  return { className: 'pickable', tabIndex: 0, 'aria-selected': location === selected, onClick: () => onSelect(location), onKeyDown: (event: { key: string }) => event.key === 'Enter' && onSelect(location) };
}

const time = (at: string | null | undefined, now: number, zone: string) => (at ? eventTime(Date.parse(at), now, zone) : '–');
const minutes = (value: number | null | undefined) => (value == null ? '–' : age(value * 60_000));

function Rtus({ token, zone, day, ...pick }: ViewProps) {
  const asked = useDay<RtuRow>(token, `assethealth/realtimertustatusbydate/${day}/0`, day);
  const now = useServerSecond() ?? Date.now();
  return (
    <Answered asked={asked}>
      {(rows) =>
        rows.length === 0 ? (
          <div className="notice">{t('communication.noData')}</div>
        ) : (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t('communication.rtu')}</th>
                  <th>{t('communication.state')}</th>
                  <th>{t('communication.since')}</th>
                  <th className="number">{t('communication.available')}</th>
                  <th className="number">{t('communication.outages')}</th>
                  <th className="number">{t('communication.outageTime')}</th>
                  <th className="number">{t('communication.missing')}</th>
                  <th className="number">{t('communication.late')}</th>
                  <th className="number">{t('communication.skew')}</th>
                  <th>{t('communication.lastMessage')}</th>
                </tr>
              </thead>
              <tbody>
                {[...rows]
                  .sort((a, b) => Number(a.online ?? false) - Number(b.online ?? false) || (a.availability ?? 101) - (b.availability ?? 101) || a.gatewayName.localeCompare(b.gatewayName))
                  .map((row) => (
                    <tr key={row.gatewayId} data-testid="rtu-row" data-bar={row.online === false ? 'warn' : undefined} {...pickable(row.locationId, pick)}>
                      <td data-tip={row.breadCrumbName}>{row.gatewayName}</td>
                      <td>{row.online == null ? '–' : row.online ? t('communication.heard') : t('communication.silent')}</td>
                      <td>{time(row.since, now, zone)}</td>
                      <td className="number">{number(row.availability, 2)}</td>
                      <td className="number">{row.outages}</td>
                      <td className="number">{minutes(row.outageMinutes)}</td>
                      <td className="number">{number(row.missingMessages, 0)}</td>
                      <td className="number">{number(row.lateValues, 0)}</td>
                      <td className="number">{number(row.clockSkewMs, 0)}</td>
                      <td>{time(row.lastMessage, now, zone)}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Answered>
  );
}

/** The class of an hour, by the share of time in which the gateway was online, percent. Null is unknown. */
function tone(share: number | null): string {
  if (share === null) return 'none';
  return share >= 99.9 ? 'whole' : share > 0 ? 'part' : 'silent';
}

function Hours({ token, day, ...pick }: ViewProps) {
  const asked = useDay<HoursRow>(token, `assethealth/realtimertucommstatusbydate/${day}`, day);
  return (
    <Answered asked={asked}>
      {(rows) => (
        <div className="scroll">
          <table className="hours">
            <thead>
              <tr>
                <th>{t('communication.rtu')}</th>
                <th className="number">{t('communication.available')}</th>
                {(rows[0]?.hours ?? []).map((_, hour) => (
                  <th key={hour}>{hour}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.gatewayId} data-testid="hours-row" {...pickable(row.locationId, pick)}>
                  <td data-tip={row.breadCrumbName}>{row.gatewayName}</td>
                  <td className="number">{number(row.availability, 2)}</td>
                  {row.hours.map((share, hour) => {
                    const about = share == null ? t('communication.nothingKnown') : `${hour}:00, ${number(share, 1)} %`;
                    return (
                      <td key={hour} data-tone={tone(share ?? null)} data-tip={about}>
                        <span role="img" aria-label={about}>
                          {share == null ? '' : share >= 99.9 ? '●' : share > 0 ? Math.floor(share) : '○'}
                        </span>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Answered>
  );
}

function Off({ token, zone, day, ...pick }: ViewProps) {
  const asked = useDay<OutageRow>(token, `assethealth/realtimefeederoutagestatus/${day}/0`, day);
  const now = useServerSecond() ?? Date.now();
  return (
    <Answered asked={asked}>
      {(rows) =>
        rows.length === 0 ? (
          <div className="notice">{asked.keptSince == null ? t('communication.nothingOff') : <KeptSince at={asked.keptSince} zone={zone} />}</div>
        ) : (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t('communication.feeder')}</th>
                  <th>{t('communication.location')}</th>
                  <th className="number">{t('communication.customers')}</th>
                  <th>{t('communication.offSince')}</th>
                  <th>{t('communication.restored')}</th>
                  <th className="number">{t('communication.minutes')}</th>
                  <th>{t('communication.cause')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={`${row.assetId}-${row.since}`} data-testid="off-row" data-bar={row.restored ? undefined : 'alarm'} {...pickable(row.locationId, pick)}>
                    <td>{row.assetName}</td>
                    <td data-tip={row.breadCrumbName}>{row.locationName}</td>
                    <td className="number">{row.customers}</td>
                    <td>{time(row.since, now, zone)}</td>
                    <td>{time(row.restored, now, zone)}</td>
                    <td className="number">{number(row.minutes, 1)}</td>
                    <td>{row.cause}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Answered>
  );
}

function Feeders({ token, zone, day, ...pick }: ViewProps) {
  const asked = useDay<FeederRow>(token, `assethealth/realtimefeederonstatusbydate/${day}`, day);
  const now = useServerSecond() ?? Date.now();
  return (
    <Answered asked={asked}>
      {(rows) => (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th>{t('communication.feeder')}</th>
                <th>{t('communication.location')}</th>
                <th>{t('communication.state')}</th>
                <th>{t('communication.since')}</th>
                <th className="number">{'Ir'}</th>
                <th className="number">{'Iy'}</th>
                <th className="number">{'Ib'}</th>
                <th className="number">{t('communication.onTime')}</th>
                <th className="number">{t('communication.offTime')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.assetId} data-testid="feeder-row" data-bar={row.status === 'off' && row.customers > 0 ? 'alarm' : row.status === 'unknown' ? 'warn' : undefined} {...pickable(row.locationId, pick)}>
                  <td>{row.assetName}</td>
                  <td data-tip={row.breadCrumbName}>{row.locationName}</td>
                  <td>{row.status}</td>
                  <td>{time(row.since, now, zone)}</td>
                  <td className="number">{number(row.currentR, 0)}</td>
                  <td className="number">{number(row.currentY, 0)}</td>
                  <td className="number">{number(row.currentB, 0)}</td>
                  <td className="number">{minutes(row.onMinutes)}</td>
                  <td className="number">{minutes(row.offMinutes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Answered>
  );
}
