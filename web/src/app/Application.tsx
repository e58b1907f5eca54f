// An application of the analytics: where, what of it, and the view of that tab (specification 2, sections 2.2 and 2.9).
import { useState } from 'react';
import { useLocation, useOutletContext, useSearchParams } from 'react-router';
import { readPreset } from '../features/hierarchy/preset';
import { Selector, type Node } from '../features/hierarchy/Selector';
import { TabList } from '../ui/TabList';
import { useAsk } from '../ui/useAsk';
import { get, type ClientConfiguration } from '../wire/rest';
import { AssetViews, type AssetView } from './AssetViews';
import type { Given } from './Shell';
import { titleOf } from './screens';
import { tabsOfPath } from './tabs';
import { usePages } from './usePages';
import { t } from '../words';

/** What the tabs that are built show of an asset. */
const VIEWS: Readonly<Record<string, AssetView>> = { 'asset.live-readings': 'readings', 'asset.permissible-loading': 'loading' };

export function Application() {
  const { login } = useOutletContext<Given>();
  const { pathname, search } = useLocation();
  const { tabs } = usePages();
  const [query, setQuery] = useSearchParams();
  const [node, setNode] = useState<Node | null>(null);
  const own = tabsOfPath(tabs ?? [], pathname === '/assetreports' ? '/assetreportsnew' : pathname).filter(({ name }) => !node?.tabs || node.tabs.includes(name));
  const tab = own.find(({ key }) => key === query.get('tab')) ?? own[0];
  const view = VIEWS[tab?.key ?? ''];
  const configuration = useAsk(`configuration-${login.clientId}`, () => get<ClientConfiguration>(login.token, `client/clientconfiguration/${login.clientId}`));
  return (
    <main className="main" key={pathname}>
      <header>
        <h1>{titleOf(pathname)}</h1>
      </header>
      <Selector login={login} app={own[0]?.app ?? ''} key={query.get('q') ?? ''} preset={readPreset(search)} onChoose={setNode} />
      <TabList
        label={titleOf(pathname)}
        tabs={own.map(({ key, name }) => [key, name])}
        current={tab?.key ?? ''}
        onChoose={(key) =>
          setQuery((before) => {
            const next = new URLSearchParams(before);
            next.set('tab', key);
            return next;
          })
        }
      />
      <div className="pane">
        {node?.level === 'asset' && view ? (
          <AssetViews login={login} view={view} asset={{ id: node.id, name: node.name }} configuration={configuration.data} />
        ) : (
        <div className="notice" data-testid="application-notice">
          {node && !view ? (
            <>
              <span>
                {tab?.name} {t('app.of')} {node.name}{t('app.thisViewIsNotBuilt')}
              </span>
              <span>{t('app.liveValuesAreOnThe')}</span>
            </>
          ) : (
            t('app.pleaseSelectAppropriateOptionTo')
          )}
        </div>
        )}
      </div>
    </main>
  );
}
