// The diagram of one feeder, laid out from the network, beside the panel of the selected device. The address contains both.
import { useMemo, useSyncExternalStore } from 'react';
import { useNavigate, useOutletContext, useSearchParams } from 'react-router';
import { Diagram } from '../features/diagram/Diagram';
import { CommandBar } from '../features/operate/CommandLife';
import { Announcer } from '../features/station/Announcer';
import { usePlaces } from '../features/station/places';
import { TabList } from '../ui/TabList';
import { customersText, transformersText } from '../ui/counts';
import { number } from '../ui/format';
import { useTitlePlace } from '../ui/pageTitle';
import { DeviceEntries } from './DeviceEntries';
import { DetailWithEvents, Freshness } from './Substation';
import { useConfiguration } from './configuration';
import { devicesOf } from './devices';
import { display } from './display';
import { useFeeders, type Feeder } from './feeders';
import { useMarked } from './marks';
import type { Given } from './Shell';
import { theme } from './theme';
import { useOutside } from './useAreas';
import { useOperation } from './useOperation';
import { usePages } from './usePages';
import { useStation } from './useStation';
import { useTrace } from './useTrace';
import { t } from '../words';

const TABS = [
  ['station', t('app.station')],
  ['feeder', t('app.feeder')],
] as const;

export function FeederScreen() {
  const { login } = useOutletContext<Given>();
  const [query] = useSearchParams();
  const id = query.get('id') ?? '';
  const feeders = useFeeders(login.token, null);
  const feeder = feeders.data?.find((one) => one.id === id || one.head === id) ?? null;
  if (feeder) return <FeederView key={feeder.id} feeder={feeder} />;
  return (
    <main className="main">
      <div className="notice" data-testid="sld-message" role={feeders.problem ? 'alert' : undefined}>
        {feeders.problem || (feeders.data ? t('app.noSuchFeeder') : t('app.loading'))}
      </div>
    </main>
  );
}

function FeederView({ feeder }: { feeder: Feeder }) {
  const { login, gateways } = useOutletContext<Given>();
  const { locationId: location } = feeder;
  const [query, setQuery] = useSearchParams();
  const navigate = useNavigate();
  const { tabs } = usePages();
  const configuration = useConfiguration(login);
  const loaded = useStation(login.token, location, configuration.data?.refresh.sldSeconds, feeder.id);
  const marked = useMarked(login, loaded.drawing, location, true);
  const station = { ...loaded, drawing: marked.drawing };
  const { places } = usePlaces(login.token, login.clientId, gateways.length);
  const shade = useSyncExternalStore(theme.subscribe, theme.current);
  const shown = useSyncExternalStore(display.subscribe, display.current);
  const name = [feeder.station, feeder.id.split('/').pop(), feeder.name].join(' ');
  useTitlePlace(name);
  const devices = useMemo(() => devicesOf(station.drawing), [station.drawing]);
  const device = query.get('device');
  const selected = devices.find(({ id }) => id === device) ?? null;
  const select = (id: string | null) => setQuery(id === null ? { id: feeder.id } : { id: feeder.id, device: id });
  const here = places?.locations.find(({ AssetPointId }) => AssetPointId === location);
  const readOnly = tabs?.find(({ key }) => key === 'dashboard.sld')?.readonly ?? true;
  const outside = useOutside();
  const held = selected ? outside(location, selected.assetId) : '';
  const sums = t('app.feederSums', { customers: customersText(feeder.customers), load: number(feeder.loadKw / 1_000, 2), transformers: transformersText(feeder.transformers) });
  const operation = useOperation({ login, location, division: here?.divisionId ?? null, station, devices, selected, readOnly });
  const trace = useTrace({ login, gateways, location, drawing: station.drawing, selected });
  const rows = station.rows ?? [];
  const toStation = () => void navigate(`/dashboard?location=${location}&tab=sld${feeder.assetIds[0] === undefined ? '' : `&asset=${selected?.assetId ?? feeder.assetIds[0]}`}`);
  return (
    <div className="body alone feeder" data-picked={device !== null}>
      <main className="main">
        <header>
          <small data-testid="place-breadcrumb">{here?.BreadCrumbName ? `${here.BreadCrumbName} › ` : ''}{feeder.station} ›</small>
          <h1>{[feeder.id.split('/').pop(), feeder.name].join(' ')}</h1>
          <Freshness zone={login.timeZone} ready={station.ready} scene={station.scene} />
          {operation.acknowledge}
          <small className="sums" data-testid="feeder-sums" data-tip={sums}>
            {sums}
          </small>
        </header>
        <TabList label={t('app.whichDiagram')} tabs={TABS} current="feeder" onChoose={(key) => key === 'station' && toStation()} />
        <div className="pane">
          {station.drawing ? (
            <Diagram
              drawing={station.drawing}
              scene={station.scene}
              selected={device}
              onSelect={select}
              onMenu={operation.openMenu}
              theme={`${shade} ${shown.states}`}
              symbolSet={configuration.data?.symbolSet ?? 'ieee'}
              steady={display.isSteady()}
              ready={station.ready}
              traced={trace.traced}
              over={<>{trace.legend}{marked.notes}</>}
              foot={<CommandBar scene={station.scene} onShow={(point) => select(devices.find(({ pointId }) => pointId === point)?.id ?? null)} />}
            />
          ) : (
            <div className="notice" data-testid="sld-message">
              {station.message}
            </div>
          )}
        </div>
      </main>
      <DetailWithEvents devices={devices} selected={selected} onSelect={select} onClose={() => select(null)} onMenu={operation.openMenu} held={held} actions={<>{operation.actions}<DeviceEntries {...{ login, marked, devices, selected, readOnly }} location={null} outside={held} /></>} trace={trace.panel} rows={rows} names={null} zone={login.timeZone} location={location} token={login.token} />
      {operation.dialogs}
      <Announcer scene={station.scene} selected={selected} rows={rows} />
    </div>
  );
}
