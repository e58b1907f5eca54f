// The diagram as a separate report: select a node of the hierarchy, then see its diagram (specification 2, sections 2.1 and 2.2).
import { useState } from 'react';
import { useOutletContext, useSearchParams } from 'react-router';
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
  // A link to another place changes the preset.
  const place = query.get('q') ?? '';
  const preset = readPreset(`?q=${encodeURIComponent(place)}`);
  const choose = (chosen: Node | null) => {
    // The selected device belongs to the previous place.
    if (node && chosen?.id !== node.id) setQuery((before) => new URLSearchParams([...before].filter(([key]) => key !== 'device' && key !== 'asset')));
    setNode(chosen);
  };
  const { places } = usePlaces(login.token, login.clientId, gateways.length);
  const page = tabsOfPath(tabs ?? [], '/sldnew')[0];
  const division = places?.locations.find(({ AssetPointId }) => AssetPointId === node?.id)?.divisionId ?? null;
  return (
    <div className="with-selector">
      <Selector key={place} login={login} app={page?.app ?? ''} preset={preset} onChoose={choose} />
      {node?.level === 'substation' ? (
        <div className="body alone">
          <Substation key={node.id} login={login} location={node.id} division={division} name={node.name} tab="sld" tabs={[['sld', page?.name ?? 'SLD']]} readOnly={page?.readonly ?? true} />
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
