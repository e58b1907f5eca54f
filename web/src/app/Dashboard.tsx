// The monitoring dashboard: the network on the left, a substation on the right. The address contains the selection in both.
import { useMemo, useState, useSyncExternalStore } from 'react';
import { useOutletContext, useSearchParams } from 'react-router';
import { Communication } from '../features/communication/Communication';
import { NetworkMap } from '../features/network/NetworkMap';
import { NetworkTable } from '../features/network/NetworkTable';
import { Chooser, type AssetOption } from '../features/station/Chooser';
import { usePlaces } from '../features/station/places';
import { useAll } from '../live/useFeed';
import { TabList } from '../ui/TabList';
import { useAsk } from '../ui/useAsk';
import { get, type Login } from '../wire/rest';
import { useConfiguration } from './configuration';
import { Figures } from './Figures';
import { highlight } from './highlight';
import { useMapMarks } from './marks';
import type { Given } from './Shell';
import { Substation } from './Substation';
import { useNetwork, useOverview } from './overview';
import { tabsOfPath } from './tabs';
import { usePages } from './usePages';
import { addressOf, DIAGRAM, groups, paneTabs, short, sideBySide, tabFor, typesOn } from './views';
import { t } from '../words';

/** Storage key of the user's choice whether the network is shown beside the substation. */
const BESIDE = 'switchyard.dashboard.network';

export function Dashboard() {
  const { login, gateways } = useOutletContext<Given>();
  const [query, setQuery] = useSearchParams();
  const { tabs } = usePages();
  const grouped = groups(tabsOfPath(tabs ?? [], '/dashboard'));
  const { place } = grouped;
  const panes = paneTabs(grouped);
  const location = Number(query.get('location')) || null;
  const own = place.map(({ key, name }) => [short(key), name] as const);
  const tab = own.find(([key]) => key === query.get('tab'))?.[0] ?? own[0]?.[0] ?? '';
  const { places, failed } = usePlaces(login.token, login.clientId, gateways.length);
  const [beside, setBeside] = useState(() => localStorage.getItem(BESIDE));
  // By default the network is hidden beside the diagram, which needs the width, and shown beside the other tabs.
  const isBeside = panes.length > 0 && (location === null || (beside === null ? tab !== 'sld' : beside === 'open'));
  const here = places?.locations.find((at) => at.AssetPointId === location);
  const configuration = useConfiguration(login);
  const asked = useAsk(location === null ? null : `assets-${location}`, (asking) => get<AssetOption[]>(login.token, `asset/assetsbysubstation/${location}/1,2,4,5,11`, asking));
  const types = typesOn(tab);
  const assets = useMemo(() => (asked.data ?? []).filter(({ assetTypeId }) => types === null || types.includes(assetTypeId)), [asked.data, types]);
  const wanted = Number(query.get('of')) || null;
  const asset = assets.find(({ assetId }) => assetId === wanted) ?? null;
  const go = (changes: Record<string, string | null>) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      return next;
    });
  // An address that names the diagram on both sides shows it on the right.
  const area = tab === 'sld' && query.get('area') === DIAGRAM && location !== null ? null : query.get('area');
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [head, setHead] = useState<HTMLElement | null>(null);
  const choose = (id: number) => setQuery((before) => addressOf(id, tab, before));
  const chooseAsset = (next: AssetOption | null) => {
    const id = next ? String(next.assetId) : null;
    const wantedTab = tabFor(next?.assetTypeId ?? null, tab);
    const nextTab = own.some(([key]) => key === wantedTab) ? wantedTab : tab;
    // Where the diagram is shown, it selects the asset and shows it in the middle.
    const onDiagram: Record<string, string | null> = nextTab === 'sld' || area === DIAGRAM ? { asset: id, device: null } : {};
    go({ of: id, tab: nextTab, ...onDiagram });
  };
  return (
    <div className="board" data-variant={configuration.data?.dashboardVariant ?? 'standard'} data-beside={isBeside} data-area={area ?? undefined} data-place={location !== null}>
      {isBeside && <Area login={login} tabs={panes} tab={area} onTab={(chosen) => go(sideBySide({ area: chosen }, { area, tab }, own))} location={location} onChoose={choose} onSlot={setSlot} />}
      <section className="place" aria-label={t('app.place')}>
        <div className="place-head">
          {location !== null && panes.length > 0 && (
            <button
              type="button"
              className="plain"
              data-testid="toggle-network"
              aria-pressed={isBeside}
              data-tip={isBeside ? t('app.hideTheNetwork') : t('app.showTheNetwork')}
              onClick={() => {
                const next = isBeside ? 'closed' : 'open';
                localStorage.setItem(BESIDE, next);
                setBeside(next);
              }}
            >
              {isBeside ? '◂' : '▸'} {t('app.map')}
            </button>
          )}
          <Chooser
            places={places}
            failed={failed}
            location={location}
            onChoose={choose}
            assets={location === null || types?.length === 0 ? null : assets}
            asset={asset?.assetId ?? null}
            onAsset={chooseAsset}
          />
          <div className="place-status" ref={setHead} />
        </div>
        {location === null ? (
          <>
            <TabList label={t('app.whatOfIt')} tabs={own} current={tab} onChoose={(key) => go({ tab: key })} />
            <main className="main">
              <div className="notice">{tab === 'sld' ? t('app.pleaseSelectLocationToView') : t('app.pleaseSelectAppropriateOptionTo')}</div>
            </main>
          </>
        ) : (
          <div className="body" data-picked={query.has('device') || query.has('asset')} data-detail={tab === 'sld' || query.has('device')}>
            <Substation key={location} slot={slot} head={head} onTab={(key) => go(sideBySide({ tab: key }, { area, tab }, own))} login={login} location={location} division={here?.divisionId ?? null} name={here?.AssetPointName ?? ''} above={here?.BreadCrumbName ?? ''} tab={tab} tabs={own} asset={asset} readOnly={place.find(({ key }) => key === 'dashboard.sld')?.readonly ?? true} />
          </div>
        )}
      </section>
    </div>
  );
}

interface AreaProps {
  readonly login: Login;
  readonly tabs: readonly (readonly [key: string, name: string])[];
  readonly tab: string | null;
  readonly onTab: (key: string) => void;
  readonly location: number | null;
  readonly onChoose: (location: number) => void;
  /** Called with the element in which the substation draws its diagram, and with null when it goes. */
  readonly onSlot: (slot: HTMLElement | null) => void;
}

function Area({ login, tabs, tab: chosen, onTab, location, onChoose, onSlot }: AreaProps) {
  const tab = tabs.find(([key]) => key === chosen)?.[0] ?? tabs[0]?.[0] ?? '';
  const { alarms } = useOutletContext<Given>();
  const overview = useOverview(login);
  const network = useNetwork(login);
  const rows = useAll(overview);
  const standing = useAll(alarms);
  const traced = useSyncExternalStore(highlight.subscribe, highlight.current);
  const marks = useMapMarks(login.token);
  return (
    <section className="area" aria-label={t('app.theNetwork')}>
      <TabList label={t('app.ofTheNetwork')} tabs={tabs} current={tab} onChoose={onTab} />
      <div className="pane">
        {tab === 'map' && <NetworkMap network={network} rows={rows} alarms={standing} selected={location} onSelect={onChoose} traced={traced} marks={marks} />}
        {tab === 'network' && <NetworkTable feed={overview} zone={login.timeZone} selected={location} onSelect={onChoose} />}
        {(tab === 'rtu-health' || tab === 'outages') && <Communication token={login.token} zone={login.timeZone} view={tab} selected={location} onSelect={onChoose} />}
        {tab === DIAGRAM && (location === null ? <div className="notice">{t('app.pleaseSelectLocationToView')}</div> : <div className="slot" ref={onSlot} />)}
      </div>
      {tab !== DIAGRAM && <Figures feed={overview} />}
    </section>
  );
}
