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
import { clockTime } from '../ui/format';
import type { EventRow, GatewayRow, Login } from '../wire/rest';
import { theme } from './theme';
import { useStation } from './useStation';

const TABS = [
  ['sld', 'SLD'],
  ['events', 'Event Log'],
  ['load', 'Load Current'],
  ['points', 'Points'],
] as const;

export function Station({ login, gateways }: { login: Login; gateways: readonly GatewayRow[] }) {
  const [query, setQuery] = useSearchParams();
  const location = Number(query.get('location')) || null;
  const tab = query.get('tab') ?? 'sld';
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
        <Open key={location} login={login} location={location} name={places?.locations.find((place) => place.AssetPointId === location)?.AssetPointName ?? ''} tab={tab} />
      )}
    </div>
  );
}

function Open({ login, location, name, tab }: { login: Login; location: number; name: string; tab: string }) {
  const [query, setQuery] = useSearchParams();
  const station = useStation(login.token, location);
  const shade = useSyncExternalStore(theme.subscribe, theme.current);
  const [feeder, setFeeder] = useState<number | null>(null);
  const device = query.get('device');
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
        <div className="tabs" role="tablist">
          {TABS.map(([key, title]) => (
            <button key={key} type="button" role="tab" aria-selected={tab === key} data-testid={`tab-${key}`} onClick={() => go({ tab: key })}>
              {title}
            </button>
          ))}
        </div>
        <div className="pane">
          {tab === 'sld' &&
            (station.drawing ? (
              <Diagram drawing={station.drawing} selected={device} onSelect={(id) => go({ device: id })} theme={shade} ready={station.ready} />
            ) : (
              <div className="notice" data-testid="sld-message">
                {station.message}
                {station.message === 'SLD is not available' && station.rows.length > 0 && <span>Its {station.rows.length} points are under Points.</span>}
              </div>
            ))}
          {tab === 'events' && <EventLog location={location} token={login.token} zone={login.timeZone} />}
          {tab === 'load' && (
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
          {tab === 'points' && <Points rows={station.rows} zone={login.timeZone} />}
        </div>
      </main>
      {tab === 'events' ? <Detail devices={devices} selected={selected} onSelect={(id) => go({ device: id })} rows={station.rows} events={[]} zone={login.timeZone} /> : <DetailWithEvents log={log} devices={devices} selected={selected} onSelect={(id) => go({ device: id })} rows={station.rows} zone={login.timeZone} />}
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
