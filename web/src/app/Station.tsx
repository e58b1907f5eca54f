// One substation: its diagram, its tables, the selected device. Which one, and which tab, stands in the address.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useSearchParams } from 'react-router';
import { Diagram } from '../features/diagram/Diagram';
import { isPickable } from '../features/diagram/boxes';
import { Chooser } from '../features/station/Chooser';
import { Detail, type Device } from '../features/station/Detail';
import { usePlaces } from '../features/station/places';
import { EventLog } from '../features/tables/EventLog';
import { LoadCurrent } from '../features/tables/LoadCurrent';
import { Points } from '../features/tables/Points';
import { newestFirst, useRows } from '../features/tables/rows';
import { useLink, useServerSecond } from '../live/live';
import { TabList } from '../ui/TabList';
import { clockTime } from '../ui/format';
import type { EventRow, GatewayRow, Login } from '../wire/rest';
import { tabsOfPath } from './tabs';
import { theme } from './theme';
import { usePages } from './usePages';
import { useStation } from './useStation';

/** What the keys of the catalogue open; the tabs of the others say that there is nothing behind them yet. */
const VIEWS: readonly string[] = ['sld', 'event-log', 'analog-realtime'];

/** The views of one tab: values as they come, feeder by feeder or point by point. */
const READINGS = [
  ['load', 'Load current'],
  ['points', 'All points'],
] as const;

/** `dashboard.sld` in the address is `sld`. */
const short = (key: string) => key.replace('dashboard.', '');

export function Station({ login, gateways }: { login: Login; gateways: readonly GatewayRow[] }) {
  const [query, setQuery] = useSearchParams();
  const location = Number(query.get('location')) || null;
  const { tabs } = usePages();
  const own = tabsOfPath(tabs ?? [], '/dashboard').map(({ key, name }) => [short(key), name] as const);
  const asked = query.get('tab') ?? VIEWS.find((view) => own.some(([key]) => key === view)) ?? own[0]?.[0];
  const tab = own.find(([key]) => key === asked)?.[0] ?? '';
  const { places, failed } = usePlaces(login.token, login.clientId, gateways.length);
  const link = useLink();
  return (
    <div className="body" data-picked={query.has('device')}>
      <Chooser places={places} failed={failed} location={location} gateways={gateways} linkUp={link.up} onChoose={(id) => setQuery({ location: String(id), tab })} />
      {location === null ? (
        <main className="main">
          <div className="notice">Please select Location to view SLD</div>
        </main>
      ) : (
        <Open key={location} login={login} location={location} name={places?.locations.find((place) => place.AssetPointId === location)?.AssetPointName ?? ''} tab={tab} tabs={own} />
      )}
    </div>
  );
}

function Open({ login, location, name, tab, tabs }: { login: Login; location: number; name: string; tab: string; tabs: readonly (readonly [string, string])[] }) {
  const [query, setQuery] = useSearchParams();
  const station = useStation(login.token, location);
  const shade = useSyncExternalStore(theme.subscribe, theme.current);
  const [feeder, setFeeder] = useState<number | null>(null);
  const device = query.get('device');
  const reading = query.get('view') === 'points' ? 'points' : 'load';
  const go = (changes: Record<string, string | null>) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      return next;
    });
  const devices = useMemo<Device[]>(
    () =>
      (station.drawing?.elements ?? [])
        .filter(isPickable)
        .map((element) => ({ id: element.id, name: element.name || element.class, className: element.class, assetId: element.assetId ?? null, pointId: element.position?.pointId ?? null })),
    [station.drawing],
  );
  const selected = devices.find((candidate) => candidate.id === device) ?? null;
  const log = useMemo(() => ({ stream: `events/location/${location}`, path: `monitoring/dieventlog/${location}`, token: login.token, merge: newestFirst, pollMs: 40_000 }), [location, login.token]);
  return (
    <>
      <main className="main">
        <header>
          <h1>{name || station.drawing?.name}</h1>
          <Freshness zone={login.timeZone} ready={station.ready} />
        </header>
        <TabList label="What of it" tabs={tabs} current={tab} onChoose={(key) => go({ tab: key })} />
        <div className="pane">
          {tab === 'sld' &&
            (station.drawing ? (
              <Diagram drawing={station.drawing} selected={device} onSelect={(id) => go({ device: id })} theme={shade} ready={station.ready} />
            ) : (
              <div className="notice" data-testid="sld-message">
                {station.message}
                {station.message === 'SLD is not available' && station.rows.length > 0 && <span>Its {station.rows.length} points are under Analog Realtime Data.</span>}
              </div>
            ))}
          {tab === 'event-log' && <EventLog location={location} token={login.token} zone={login.timeZone} />}
          {tab === 'analog-realtime' && (
            <div className="views" role="group" aria-label="Which values">
              {READINGS.map(([key, title]) => (
                <button key={key} type="button" aria-pressed={reading === key} data-testid={`view-${key}`} onClick={() => go({ view: key })}>
                  {title}
                </button>
              ))}
            </div>
          )}
          {tab === 'analog-realtime' && reading === 'load' && (
            <LoadCurrent
              location={location}
              token={login.token}
              zone={login.timeZone}
              selected={feeder}
              onSelect={(asset) => {
                setFeeder(asset);
                go({ device: devices.find((candidate) => candidate.assetId === asset)?.id ?? null });
              }}
            />
          )}
          {tab === 'analog-realtime' && reading === 'points' && <Points rows={station.rows} zone={login.timeZone} />}
          {!VIEWS.includes(tab) && <div className="notice">{tabs.length === 0 ? 'Please select appropriate option to view data' : 'This view is not built yet.'}</div>}
        </div>
      </main>
      {tab === 'event-log' ? <Detail devices={devices} selected={selected} onSelect={(id) => go({ device: id })} rows={station.rows} events={[]} zone={login.timeZone} /> : <DetailWithEvents log={log} devices={devices} selected={selected} onSelect={(id) => go({ device: id })} rows={station.rows} zone={login.timeZone} />}
    </>
  );
}

type Log = Parameters<typeof useRows<EventRow>>[0];

/** The event log tab listens to the same stream itself; a stream has one listener. */
function DetailWithEvents({ log, ...rest }: { log: Log } & Omit<Parameters<typeof Detail>[0], 'events'>) {
  const { rows } = useRows<EventRow>(log, false);
  return <Detail {...rest} events={rows} />;
}

function Freshness({ zone, ready }: { zone: string; ready: boolean }) {
  const link = useLink();
  const second = useServerSecond();
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => setSince(link.since), [link.since]);
  if (!link.up && since !== null) return <small data-testid="freshness">not live, as of {clockTime(since, zone)}</small>;
  if (!ready || second === null) return <small data-testid="freshness">Loading...</small>;
  return <small data-testid="freshness">live</small>;
}
