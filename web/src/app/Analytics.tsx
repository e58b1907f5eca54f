// The analytics screens: the hierarchy selector, the tabs, and the view of the selected tab (specification 3, section 2.1). The optimiser
// replaces the tabs (section 2.2). The address contains the place, the tab and the site.
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ComponentType } from 'react';
import { useLocation, useNavigate, useOutletContext } from 'react-router';
import { scopeOf, type ViewProps } from '../features/analysis/view';
import { Selector, type Node } from '../features/hierarchy/Selector';
import { useLive } from '../live/live';
import { TabList } from '../ui/TabList';
import { useTitlePlace } from '../ui/pageTitle';
import { useConfiguration } from './configuration';
import { deviceIn, OPTIMISER, optimiserPages, optimiserPlace, pagesPath, placeIn, queryOf, tabsAt } from './analytics';
import { readPreset } from '../features/hierarchy/preset';
import { First } from './First';
import { firstWithData, PROBES } from './firsttab';
import type { Given } from './Shell';
import { titleOf } from './screens';
import { tabsOfPath, type Tab } from './tabs';
import { usePages } from './usePages';
import { t } from '../words';

const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  'ee.energy': lazy(() => import('../features/analysis/Energy').then(({ Energy }) => ({ default: Energy }))),
  'ee.reliability': lazy(() => import('../features/analysis/Reliability').then(({ Reliability }) => ({ default: Reliability }))),
  'ee.demand': lazy(() => import('../features/analysis/Demand').then(({ Demand }) => ({ default: Demand }))),
  'ee.forecast': lazy(() => import('../features/analysis/Forecast').then(({ Forecast }) => ({ default: Forecast }))),
  'ee.quality-check': lazy(() => import('../features/analysis/QualityCheck').then(({ QualityCheck }) => ({ default: QualityCheck }))),
  'fault.trends': lazy(() => import('../features/analysis/FaultTrends').then(({ FaultTrends }) => ({ default: FaultTrends }))),
  'fault.feeder-curves': lazy(() => import('../features/analysis/FeederCurves').then(({ FeederCurves }) => ({ default: FeederCurves }))),
  'asset.live-readings': lazy(() => import('./AssetTabs').then(({ LiveReadingsTab }) => ({ default: LiveReadingsTab }))),
  'asset.permissible-loading': lazy(() => import('./AssetTabs').then(({ PermissibleLoadingTab }) => ({ default: PermissibleLoadingTab }))),
  'asset.battery': lazy(() => import('../features/analysis/Battery').then(({ Battery }) => ({ default: Battery }))),
};

/** The state of a history entry whose place the screen selected itself. */
const AUTOMATIC = 'automatic-place';

const LowCarbon = lazy(() => import('../features/lowcarbon/LowCarbon').then(({ LowCarbon }) => ({ default: LowCarbon })));

export function Analytics() {
  const { login } = useOutletContext<Given>();
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const { connection } = useLive();
  const { tabs } = usePages();
  const [node, setNode] = useState<Node | null>(null);
  useTitlePlace(node?.name ?? '');
  const place = placeIn(search);
  const written = place ? `${place.level}/${place.id}` : '';
  // The place that the selector shows. When the address changes to another place, for example after Back, the selector is recreated with it.
  const told = useRef(written);
  const [selector, setSelector] = useState({ of: written, count: 0 });
  useEffect(() => {
    if (written === told.current) return;
    told.current = written;
    setNode(null);
    setSelector(({ count }) => ({ of: written, count: count + 1 }));
  }, [written]);
  const isAutomatic = state === AUTOMATIC;
  const isSeen = useRef(readPreset(search)?.level === 'asset');
  // A place that the screen selects itself replaces the address, so that Back leaves the screen. The history keeps that it is not the user's
  // own, also after a reload.
  const go = (of: Node, tab: string | null, isOwn: boolean) => void navigate({ search: `?${queryOf(of, tab)}` }, { replace: place === null, state: isOwn ? null : AUTOMATIC });
  const wanted = new URLSearchParams(search).get('tab');
  const choose = (chosen: Node | null, isOwn: boolean) => {
    setNode(chosen);
    const says = chosen ? `${chosen.level}/${chosen.id}` : null;
    // Without a selected node the address keeps its place: the lists are loading, or the user is still selecting.
    if (!chosen || says === null || says === told.current) return;
    told.current = says;
    go(chosen, wanted, isOwn);
  };
  const now = useMemo(() => () => connection.clock.now() ?? Date.now(), [connection]);
  const app = tabsOfPath(tabs ?? [], pagesPath(pathname))[0]?.app ?? '';
  const isOptimiser = pathname === OPTIMISER;
  const configuration = useConfiguration(login);
  const built = Object.keys(VIEWS).filter((key) => key !== 'asset.permissible-loading' || !configuration.data?.hiddenCharts.includes('permissibleLoading'));
  const own = tabsAt(tabs ?? [], pathname, node, built);
  // See Details names the place and no tab.
  const seen = useFirstWithData(own, node, isSeen.current && wanted === null, login.token, now);
  const isSearching = seen === undefined;
  const tab = own.find(({ key }) => key === (wanted ?? seen)) ?? (isSearching ? undefined : own[0]);
  const View = VIEWS[tab?.key ?? ''];
  return (
    <main className="main">
      <header>
        <h1>{titleOf(pathname)}</h1>
      </header>
      <Selector key={`${selector.of} ${selector.count}`} login={login} app={app} preset={place} opens isAutomatic={isAutomatic} onChoose={choose} />
      {node && own.length > 0 && (
        <TabList
          label={titleOf(pathname)}
          tabs={own.map(({ key, name }) => [key, name])}
          current={tab?.key ?? ''}
          onChoose={(key) => go(node, key, !isAutomatic)}
        />
      )}
      <div className="pane">
        {node && isOptimiser ? (
          <div className="asset-view">
            <Suspense fallback={<div className="notice">{t('app.loading')}</div>}>
              <LowCarbon
                key={`${node.level} ${node.id}`}
                token={login.token}
                scope={scopeOf(optimiserPlace(node))}
                placeName={node.name}
                pages={optimiserPages(tabs ?? [])}
                device={deviceIn(search)}
                onDevice={(device) => void navigate({ search: `?${queryOf(node, null, device)}` })}
                now={now}
              />
            </Suspense>
          </div>
        ) : node && View ? (
          <div className="asset-view">
            <Suspense fallback={<div className="notice">{t('app.loading')}</div>}>
              <View
                key={`${tab?.key} ${node.level} ${node.id}`}
                token={login.token}
                zone={login.timeZone}
                node={node}
                login={login}
                now={now}
              />
            </Suspense>
          </div>
        ) : (
          <div className="notice" data-testid="application-notice">
            {node ? (isSearching ? t('app.loading') : t('analytics.nothingHere', { name: node.name })) : t('app.pleaseSelectAppropriateOptionTo')}
          </div>
        )}
      </div>
    </main>
  );
}

/** The first tab with data for a node. Undefined during the search; null if `isWanted` is false, or if there is no node or no tab. */
function useFirstWithData(tabs: readonly Tab[], node: Node | null, isWanted: boolean, token: string, now: () => number): string | null | undefined {
  const keys = tabs.map(({ key }) => key).join();
  const of = isWanted && node && keys ? `${node.level}/${node.id} ${keys}` : null;
  const [found, setFound] = useState<{ of: string; key: string | null } | null>(null);
  useEffect(() => {
    if (of === null || !node) return;
    const stop = new AbortController();
    const hasData = (key: string) => PROBES[key]?.(token, node, now(), { signal: stop.signal }) ?? Promise.resolve(true);
    void firstWithData(tabs, hasData).then((key) => stop.signal.aborted || setFound({ of, key }));
    return () => stop.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the node and the tabs are in the key
  }, [of]);
  if (of === null) return null;
  return found?.of === of ? found.key : undefined;
}

/** The first screen of the assets. If the utility's configuration selects the alternative, it is the analytics of the assets (specification 2, section 5). */
export function AssetHome() {
  const { login } = useOutletContext<Given>();
  const { data, problem } = useConfiguration(login);
  if (!data && !problem) return <div className="notice">{t('app.loading')}</div>;
  return data?.assetVariant === 'alternative' ? <Analytics /> : <First path="/asset" />;
}
