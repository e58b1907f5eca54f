// The first screens of the fault, energy and asset applications: current abnormal conditions, with place, start and number of customers.
import { useMemo } from 'react';
import { useNavigate, useOutletContext, useSearchParams } from 'react-router';
import { AlarmList } from '../features/alarms/AlarmList';
import { HourBars, byHour } from '../features/overview/HourBars';
import { NetworkMap } from '../features/network/NetworkMap';
import { NetworkTable } from '../features/network/NetworkTable';
import { Faults, faultSource } from '../features/tables/Faults';
import { standing } from '../features/alarms/standing';
import { Alerts } from '../features/trackers/Alerts';
import { Trackers } from '../features/trackers/Trackers';
import { usePlaces } from '../features/station/places';
import { useLink, useServerSecond } from '../live/live';
import { useAll, useFeed } from '../live/useFeed';
import type { Feed } from '../live/feed';
import type { FaultRow } from '../wire/monitoring';
import { TabList } from '../ui/TabList';
import { age, number } from '../ui/format';
import { placeOf, useMayAcknowledge, useOutsideOf } from './AlarmPanel';
import { useMapMarks } from './marks';
import type { Given } from './Shell';
import { useNetwork, useOverview, useTotals } from './overview';
import { scopeOf } from './scope';
import { titleOf } from './screens';
import { tabsOfPath } from './tabs';
import { usePages } from './usePages';
import { t } from '../words';

/** Kinds of alarms that each application shows; null for all. */
const ABOUT: Readonly<Record<string, readonly string[] | null>> = {
  '/faultdashboard': null,
  '/eedashboard': null,
  '/asset': ['high', 'low', 'high_high', 'low_low', 'state', 'data'],
};

export function First({ path }: { path: '/faultdashboard' | '/eedashboard' | '/asset' }) {
  const { login, alarms, gateways } = useOutletContext<Given>();
  const { tabs } = usePages();
  const [query, setQuery] = useSearchParams();
  const navigate = useNavigate();
  const own = tabsOfPath(tabs ?? [], path);
  const tab = own.find(({ key }) => key === query.get('tab')) ?? own[0];
  const overview = useOverview(login);
  const rows = useAll(overview);
  const network = useNetwork(login);
  const marks = useMapMarks(login.token);
  const kinds = ABOUT[path];
  const all = useAll(alarms);
  const standingNow = useMemo(() => (kinds ? all.filter(({ kind }) => kinds.includes(kind)) : all), [all, kinds]);
  const readOnly = !useMayAcknowledge();
  const outside = useOutsideOf();
  const scope = scopeOf(login);
  const { places } = usePlaces(login.token, login.clientId, gateways.length);
  const faults = useFeed(faultSource(scope, login.token));
  const open = (location: number) => void navigate(`/dashboard?location=${location}&tab=sld`);
  const list = (isNarrow: boolean) => (
    <AlarmList feed={alarms} token={login.token} zone={login.timeZone} readOnly={readOnly} outside={outside} isNarrow={isNarrow} onShow={(row) => void navigate(placeOf(row))} {...(kinds ? { kinds } : {})} />
  );
  const view = tab?.key.split('.')[1];
  return (
    <main className="first" aria-label={titleOf(path)}>
      <Now feed={overview} alarms={standingNow} alarmsReady={alarms.state === 'ready'} faults={faults} />
      <TabList label={titleOf(path)} tabs={own.map(({ key, name }) => [key, name])} current={tab?.key ?? ''} onChoose={(key) => setQuery({ tab: key })} />
      {view === 'map' && (
        <div className="halves">
          <div>
            <NetworkMap network={network} rows={rows} alarms={standingNow} selected={null} onSelect={open} marks={marks} />
          </div>
          <div>{list(true)}</div>
        </div>
      )}
      {view === 'details' && (
        <div className="halves">
          <div>{path === '/faultdashboard' ? list(true) : <NetworkTable feed={overview} zone={login.timeZone} selected={null} onSelect={open} />}</div>
          <div>
            {path === '/faultdashboard' && <Day feed={faults} zone={login.timeZone} />}
            {path === '/eedashboard' && <Alerts token={login.token} scope={scope} zone={login.timeZone} onShow={(row) => open(row.locationId)} />}
            {path === '/asset' && list(true)}
          </div>
        </div>
      )}
      {view === 'table' && (
        <div className="pane">
          {path === '/faultdashboard' && <Faults scope={scope} token={login.token} zone={login.timeZone} onSelect={(row) => void navigate(`/dashboard?location=${row.LocationId}&tab=faults`)} />}
          {path === '/eedashboard' && <Trackers token={login.token} scope={scope} locations={places?.locations ?? []} readOnly={tab?.readonly ?? true} />}
          {path === '/asset' && list(false)}
        </div>
      )}
    </main>
  );
}

type FaultFeed = Feed<FaultRow>;

/** The most important totals at the start of a shift. */
function Now({ feed, alarms, alarmsReady, faults }: { feed: ReturnType<typeof useOverview>; alarmsReady: boolean; alarms: Parameters<typeof standing>[0]; faults: FaultFeed }) {
  const totals = useTotals(feed);
  const second = useServerSecond() ?? 0;
  const link = useLink();
  const all = useAll(faults);
  const rows = all.filter(({ FaultStatus, StartTime }) => FaultStatus === 'Open' || second - Date.parse(StartTime) <= 86_400_000);
  const now = useMemo(() => standing(alarms, second), [alarms, second]);
  const openFaults = rows.filter(({ FaultStatus }) => FaultStatus === 'Open').length;
  const momentary = rows.filter((row) => row.momentary).length;
  const isUnknown = feed.state !== 'ready';
  const since = totals.silent?.since;
  const figures = [
    { key: 'customers', value: isUnknown ? '–' : number(totals.customersWithoutSupply, 0), words: t('overview.customersWithoutSupply'), more: totals.customersWithoutSupply === null ? t('app.networkIsNotAvailable') : totals.dead, alarm: (totals.customersWithoutSupply ?? 0) > 0 },
    { key: 'faults', value: faults.state === 'ready' ? number(openFaults, 0) : '–', words: t('overview.openFaults'), more: t('overview.inADay', { sustained: rows.length - momentary, momentary }), alarm: openFaults > 0 },
    { key: 'alarms', value: alarmsReady ? number(now.unacknowledged, 0) : '–', words: t('overview.unacknowledgedAlarms'), more: t('overview.byPriority', { one: now.active[0], two: now.active[1], three: now.active[2] }), alarm: now.highest === 1 },
    { key: 'load', value: number(totals.loadMw, 1), words: t('overview.mwLoadNow'), more: `${number(totals.hz, 2)} ${t('overview.hz')}`, alarm: false },
    {
      key: 'rtu',
      value: isUnknown ? '–' : `${totals.online} / ${totals.substations}`,
      words: t('overview.substationsReporting'),
      more: totals.silent ? t('overview.silentFor', { name: totals.silent.name, time: since ? age(second - (typeof since === 'number' ? since : Date.parse(since))) : '–' }) : t('overview.allHeard'),
      alarm: totals.silent !== null,
    },
  ];
  return (
    <dl className="figures large" data-live={link.up} data-testid="figures">
      {figures.map(({ key, value, words, more, alarm }) => (
        <div key={key} data-alarm={alarm}>
          <dd data-testid={`figure-${key}`}>{link.up ? value : `? ${value}`}</dd>
          <dt>
            {words}
            <small>{more}</small>
          </dt>
        </div>
      ))}
    </dl>
  );
}

function Day({ feed, zone }: { feed: FaultFeed; zone: string }) {
  const rows = useAll(feed);
  const hour = Math.floor((useServerSecond() ?? Date.now()) / 60_000) * 60_000;
  const hours = useMemo(() => byHour(rows, hour, zone), [rows, hour, zone]);
  return (
    <>
      <div className="bar">
        <b>{t('overview.faultSummary')}</b>
        <small>{t('overview.lastDay')}</small>
      </div>
      {feed.state === 'loading' ? <div className="notice">{t('overview.loading')}</div> : feed.state === 'failed' && rows.length === 0 ? <div className="notice" role="alert">{feed.problem}</div> : <HourBars hours={hours} zone={zone} />}
    </>
  );
}
