// The diagram as a separate report: select a node of the hierarchy, then see its diagram (specification 2, sections 2.1 and 2.2).
import { useState } from 'react';
import { useLocation, useOutletContext, useSearchParams } from 'react-router';
import { readPreset } from '../features/hierarchy/preset';
import { Selector, type Node } from '../features/hierarchy/Selector';
import { usePlaces } from '../features/station/places';
import { t } from '../words';
import type { Given } from './Shell';
import { Substation } from './Substation';
import { tabsOfPath } from './tabs';
import { usePages } from './usePages';

export function Sld() {
  const { login, gateways } = useOutletContext<Given>();
  const [query, setQuery] = useSearchParams();
  const { tabs } = usePages();
  const [node, setNode] = useState<Node | null>(null);
  const { search } = useLocation();
  // The address of an asset opens the diagram of its substation with the asset selected.
  const preset = readPreset(search);
  const place = preset ? `${preset.level} ${preset.id}` : '';
  const location = node?.location ?? null;
  const choose = (chosen: Node | null) => {
    // The selected device belongs to the previous place.
    const isOther = node !== null && (chosen?.id !== node.id || chosen.level !== node.level);
    const asset = chosen?.level === 'asset' ? chosen.id : null;
    if (isOther || (asset !== null && !query.has('device'))) {
      setQuery(
        (before) => {
          const next = new URLSearchParams([...before].filter(([key]) => key !== 'device' && key !== 'asset' && key !== 'point'));
          if (asset !== null) next.set('asset', String(asset));
          return next;
        },
        { replace: true },
      );
    }
    setNode(chosen);
  };
  const { places } = usePlaces(login.token, login.clientId, gateways.length);
  const page = tabsOfPath(tabs ?? [], '/sldnew')[0];
  const here = places?.locations.find(({ AssetPointId }) => AssetPointId === location);
  return (
    <div className="with-selector">
      <Selector key={place} login={login} app={page?.app ?? ''} preset={preset} onChoose={choose} />
      {node && location !== null ? (
        <div className="body alone" data-picked={query.has('device') || query.has('asset')}>
          <Substation key={location} login={login} location={location} division={here?.divisionId ?? null} name={node.level === 'substation' ? node.name : (here?.AssetPointName ?? '')} tab="sld" tabs={[['sld', page?.name ?? 'SLD']]} onTab={() => undefined} readOnly={page?.readonly ?? true} />
        </div>
      ) : (
        <main className="main">
          <div className="notice" data-testid="sld-message">
            {t('app.pleaseSelectTheSecondary')}
          </div>
        </main>
      )}
    </div>
  );
}
