// One substation: its diagram, its tables, and the selected device with its operations. The address contains the device.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useOutletContext, useSearchParams } from 'react-router';
import { Diagram } from '../features/diagram/Diagram';
import { CommandBar } from '../features/operate/CommandLife';
import { Announcer } from '../features/station/Announcer';
import type { AssetOption } from '../features/station/Chooser';
import { Detail } from '../features/station/Detail';
import { EventLog, eventSource } from '../features/tables/EventLog';
import { Faults } from '../features/tables/Faults';
import { LoadCurrent } from '../features/tables/LoadCurrent';
import { Measured } from '../features/tables/Measured';
import { Points } from '../features/tables/Points';
import { reporting } from '../live/freshness';
import type { Scene } from '../live/scene';
import { useLink, useLive, useServerSecond } from '../live/live';
import { useAll, useFeed } from '../live/useFeed';
import { TabList } from '../ui/TabList';
import { clockTime } from '../ui/format';
import { notice } from '../ui/notice';
import { useTitlePlace } from '../ui/pageTitle';
import { useAsk } from '../ui/useAsk';
import { get, type DataValues, type GdsValues, type GenericRow, type Login } from '../wire/rest';
import { AssetViews, PROFILES } from './AssetViews';
import { DeviceEntries } from './DeviceEntries';
import { useConfiguration } from './configuration';
import { devicesOf } from './devices';
import { display } from './display';
import { useMarked } from './marks';
import { theme } from './theme';
import { feederOf, useFeeders } from './feeders';
import { useOutside } from './useAreas';
import { useOperation } from './useOperation';
import type { Given } from './Shell';
import { useStation } from './useStation';
import { useTrace } from './useTrace';
import { t } from '../words';

/** Tab keys that have a view. Other tabs show that they are not built yet. */
export const VIEWS: readonly string[] = ['sld', 'faults', 'analog-log', 'analog-realtime', 'power-quality', 'asset', 'event-log', 'substation-health'];

/** The views of the readings tab: by feeder or by point. */
const READINGS = [
  ['load', t('app.loadCurrent')],
  ['points', t('app.allPoints')],
  ['readings', t('app.liveReadings')],
  ...PROFILES,
] as const;

const NO_ROWS: readonly GenericRow[] = [];

interface Props {
  readonly login: Login;
  readonly location: number;
  readonly division: number | null;
  readonly name: string;
  /** The names of the hierarchy levels above the substation. */
  readonly above?: string;
  readonly tab: string;
  readonly tabs: readonly (readonly [key: string, name: string])[];
  readonly onTab: (key: string) => void;
  /** An element beside the tables that receives the diagram while another tab is shown. */
  readonly slot?: HTMLElement | null;
  /** The head row of the page, which shows the state of the place; absent if the place has a head of its own. */
  readonly head?: HTMLElement | null;
  /** The selected asset; null for all. */
  readonly asset?: AssetOption | null;
  /** Whether the user's page of the diagram is read-only. */
  readonly readOnly: boolean;
}

export function Substation({ login, location, division, name, above = '', tab, tabs, onTab, slot = null, head, asset: of = null, readOnly }: Props) {
  const [query, setQuery] = useSearchParams();
  const configuration = useConfiguration(login);
  const refresh = configuration.data?.refresh;
    // The analog log of the GDS shows the values of the diagram, at its own interval. A diagram beside it keeps the shorter of the two.
  const isGeneral = tab === 'analog-log' && login.showGDSData;
  const seconds = !refresh || !isGeneral ? refresh?.sldSeconds : slot ? Math.min(refresh.sldSeconds, refresh.analogLogSeconds) : refresh.analogLogSeconds;
  const loaded = useStation(login.token, location, seconds);
  const marked = useMarked(login, loaded.drawing, location);
  const outside = useOutside();
  const station = { ...loaded, drawing: marked.drawing };
  const rows = station.rows ?? NO_ROWS;
  useTitlePlace(name || station.drawing?.name || '');
  const shade = useSyncExternalStore(theme.subscribe, theme.current);
  const shown = useSyncExternalStore(display.subscribe, display.current);
  // A link to an alarm names the feeder of the switch, whose rows are then selected.
  const [feeder, setFeeder] = useState<number | null>(Number(query.get('asset')) || null);
  const reading = READINGS.find(([key]) => key === query.get('view'))?.[0] ?? 'load';
  const go = (changes: Record<string, string | null>) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      for (const [key, value] of Object.entries(changes)) {
        if (key === 'device') for (const other of ['asset', 'point']) next.delete(other);
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      return next;
    });
  const devices = useMemo(() => devicesOf(station.drawing), [station.drawing]);
  // Links from other screens name the asset and not the symbol.
  const asset = Number(query.get('asset')) || null;
  const point = Number(query.get('point')) || null;
  const device = query.get('device') ?? devices.find(({ pointId }) => pointId !== null && pointId === point)?.id ?? devices.find(({ assetId }) => assetId !== null && assetId === asset)?.id ?? null;
  const selected = devices.find((candidate) => candidate.id === device) ?? null;
  const isMissing = station.drawing !== null && asset !== null && device === null;
  useEffect(() => {
    if (isMissing) notice(t('app.notOnTheDiagram'));
  }, [isMissing]);
  // The user is notified on selecting an asset without data (specification 2, section 5).
  const isEmpty = of !== null && rows.length > 0 && !rows.some(({ assetId }) => assetId === of.assetId);
  useEffect(() => {
    if (isEmpty) notice(t('app.noData'));
  }, [isEmpty, of?.assetId]);
  // If the GDS flag is off, the values are those of PDS, with the names of its columns (specification 2, section 4).
  const pds = useAsk(login.showGDSData ? null : `pds-${location}`, (asking) => get<DataValues>(login.token, `sld/slddatavaluesbyastpt/${location}`, asking));
  const names = useMemo(() => {
    if (login.showGDSData || !pds.data) return null;
    const { pdsColumns, adsColumns, dcColumns } = pds.data;
    return new Map([...pdsColumns, ...adsColumns, ...dcColumns].map(({ name, alias }) => [name, alias.replace(/ \(.*\)$/, '')]));
  }, [login.showGDSData, pds.data]);
  // With the GDS flag the analog log has all points: those of the selected asset, else of the substation (specification 2, sections 4 and 7).
  const gds = useAsk(login.showGDSData && of ? `gds-${of.assetId}` : null, (asking) => get<GdsValues>(login.token, `monitoring/getgdsdata/asset/${of?.assetId}`, asking));
  const general = of ? (gds.data?.gdsData ?? null) : station.rows;
  const health = useMemo(() => station.rows?.filter(({ pointName }) => pointName.startsWith('STN/')) ?? null, [station.rows]);
  const feeders = useFeeders(login.token, location);
  const operation = useOperation({ login, location, division, station, devices, selected, readOnly, feederOf: (asset) => feederOf(feeders.data, asset)?.id ?? null });
  const { gateways } = useOutletContext<Given>();
  const trace = useTrace({ login, gateways, location, drawing: station.drawing, selected });
  const scope = of ? `asset/${of.assetId}` : `location/${location}`;
  const pick = (asset: number) => {
    setFeeder(asset);
    go({ device: devices.find((candidate) => candidate.assetId === asset)?.id ?? null });
  };
  // A selected row of the table selects its asset.
  const chosen = devices.find(({ assetId }) => assetId !== null && assetId === feeder);
  const line = feeder === null ? null : { id: feeder, name: chosen?.name ?? '' };
  const table = { token: login.token, zone: login.timeZone };
  const held = selected ? outside(location, selected.assetId) : '';
  const detail = { devices, selected, onSelect: (id: string) => go({ device: id }), onClose: () => go({ device: null, asset: null }), onMenu: operation.openMenu, held, actions: <>{operation.actions}<DeviceEntries {...{ login, marked, devices, selected, location, readOnly }} outside={held} /></>, trace: trace.panel, rows, names, zone: login.timeZone };
  const foot = (
    <>
      <CommandBar scene={station.scene} onShow={(point) => go({ device: devices.find(({ pointId }) => pointId === point)?.id ?? null })} />
      {station.problem && (
        <p className="stale-line" role="alert">
          {station.problem}
        </p>
      )}
    </>
  );
  const title = (
    <>
      {above && <small data-testid="place-breadcrumb">{above} ›</small>}
      <h1 className={head === undefined ? undefined : 'visually-hidden'}>{name || station.drawing?.name}</h1>
      <Freshness zone={login.timeZone} ready={station.ready} scene={station.scene} />
      {operation.acknowledge}
    </>
  );
  const diagram = station.drawing ? (
    <Diagram
      drawing={station.drawing}
      scene={station.scene}
      selected={device}
      onSelect={(id) => go({ device: id })}
      onMenu={operation.openMenu}
      theme={`${shade} ${shown.states}`}
      symbolSet={configuration.data?.symbolSet ?? 'ieee'}
      steady={display.isSteady()}
      ready={station.ready}
      // A link from elsewhere names the asset. A device that is selected here is where the user looks already.
      isCentred={!query.has('device')}
      foot={tab === 'sld' ? foot : null}
      traced={trace.traced}
      over={<>{trace.legend}{marked.notes}</>}
    />
  ) : (
    <div className="notice" data-testid="sld-message">
      {station.message}
      {station.message === 'SLD is not available' && rows.length > 0 && <span>{t('app.pointsUnder', { count: rows.length })}</span>}
    </div>
  );
  return (
    <>
      {slot && tab !== 'sld' && createPortal(diagram, slot)}
      <main className="main">
        {head === undefined ? <header>{title}</header> : head && createPortal(title, head)}
        <TabList label={t('app.whatOfIt')} tabs={tabs} current={tab} onChoose={onTab} />
        <div className="pane">
          {tab === 'sld' && diagram}
          {tab === 'faults' && <Faults key={scope} scope={scope} {...table} />}
          {tab === 'event-log' && <EventLog key={scope} scope={scope} {...table} />}
          {isGeneral && <Points key={scope} title={t('app.generalData')} name="general-data" rows={general} problem={of ? gds.problem : station.problem} {...(of ? { onRetry: gds.retry } : {})} zone={login.timeZone} />}
          {tab === 'analog-log' && !login.showGDSData && <Measured key={scope} kind="energy" pollMs={refresh && refresh.analogLogSeconds * 1_000} scope={scope} selected={feeder} onSelect={pick} {...table} />}
          {tab === 'power-quality' && <Measured key={scope} kind="pq" scope={scope} selected={feeder} onSelect={pick} {...table} />}
          {tab === 'asset' && <Measured key={scope} kind="assets" scope={scope} selected={feeder} onSelect={pick} {...table} />}
          {tab === 'substation-health' && <Points title={t('app.substationHealth')} name="substation-health" rows={health} zone={login.timeZone} />}
          {tab === 'analog-realtime' && (
            <div className="views" role="group" aria-label={t('app.whichValues')}>
              {READINGS.map(([key, title]) => (
                <button key={key} type="button" aria-pressed={reading === key} data-testid={`view-${key}`} onClick={() => go({ view: key })}>
                  {title}
                </button>
              ))}
            </div>
          )}
          {tab === 'analog-realtime' && reading === 'load' && <LoadCurrent location={location} selected={feeder} onSelect={pick} {...table} />}
          {tab === 'analog-realtime' && reading === 'points' && <Points title={t('app.allPoints')} name="points" rows={station.rows} zone={login.timeZone} />}
          {tab === 'analog-realtime' && reading !== 'load' && reading !== 'points' && <AssetViews login={login} view={reading} asset={of ? { id: of.assetId, name: of.assetName } : line} configuration={configuration.data} />}
          {!VIEWS.includes(tab) && <div className="notice">{tabs.length === 0 ? t('app.pleaseSelectAppropriateOptionTo') : t('app.thisViewIsNotBuilt2')}</div>}
        </div>
        {!(tab === 'sld' && station.drawing) && <div className="place-foot">{foot}</div>}
      </main>
      <DetailWithEvents {...detail} location={location} token={login.token} />
      {operation.dialogs}
      <Announcer scene={station.scene} selected={selected} rows={rows} />
    </>
  );
}

export function DetailWithEvents({ location, token, ...rest }: { location: number; token: string } & Omit<Parameters<typeof Detail>[0], 'events'>) {
  const rows = useAll(useFeed(eventSource(`location/${location}`, token)));
  const events = useMemo(() => rows.toSorted((a, b) => b.EventTime.localeCompare(a.EventTime)), [rows]);
  return <Detail {...rest} events={events} />;
}

export function Freshness({ zone, ready, scene }: { zone: string; ready: boolean; scene: Pick<Scene, 'isNetworkUnavailable'> }) {
  const link = useLink();
  // `useServerSecond` renders this once a second, so points and scene are read again each second.
  const second = useServerSecond();
  const { points } = useLive();
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => setSince(link.since), [link.since]);
  if (!link.up && since !== null) return <small data-testid="freshness">{t('app.notLiveAsOf')} {clockTime(since, zone)}</small>;
  if (!ready || second === null) return <small data-testid="freshness">{t('app.loading')}</small>;
  // The values are live, but no state of a line is known.
  if (scene.isNetworkUnavailable()) return <small data-testid="freshness">{t('app.networkIsNotAvailable')}</small>;
  const words = { never: t('app.nothingHasReportedFromHere'), lost: t('app.nothingReportsFromHereNow'), now: t('app.live') };
  return <small data-testid="freshness">{words[reporting(points.all().values())]}</small>;
}
