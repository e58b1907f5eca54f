// The monitoring dashboard: which substation, and that substation. Which one, and which tab, stands in the address.
import { useSearchParams } from 'react-router';
import { Chooser } from '../features/station/Chooser';
import { usePlaces } from '../features/station/places';
import { useLink } from '../live/live';
import type { GatewayRow, Login } from '../wire/rest';
import { Substation, VIEWS } from './Substation';
import { tabsOfPath } from './tabs';
import { usePages } from './usePages';
import { t } from '../words';

/** `dashboard.sld` in the address is `sld`. */
const short = (key: string) => key.replace('dashboard.', '');

export function Station({ login, gateways }: { login: Login; gateways: readonly GatewayRow[] }) {
  const [query, setQuery] = useSearchParams();
  const location = Number(query.get('location')) || null;
  const { tabs } = usePages();
  const all = tabsOfPath(tabs ?? [], '/dashboard');
  const own = all.map(({ key, name }) => [short(key), name] as const);
  const asked = query.get('tab') ?? VIEWS.find((view) => own.some(([key]) => key === view)) ?? own[0]?.[0];
  const tab = own.find(([key]) => key === asked)?.[0] ?? '';
  const { places, failed } = usePlaces(login.token, login.clientId, gateways.length);
  const link = useLink();
  const here = places?.locations.find((place) => place.AssetPointId === location);
  return (
    <div className="body" data-picked={query.has('device')}>
      <Chooser places={places} failed={failed} location={location} gateways={gateways} linkUp={link.up} onChoose={(id) => setQuery({ location: String(id), tab })} />
      {location === null ? (
        <main className="main">
          <div className="notice">{t('app.pleaseSelectLocationToView')}</div>
        </main>
      ) : (
        <Substation
          key={location}
          login={login}
          location={location}
          division={here?.divisionId ?? null}
          name={here?.AssetPointName ?? ''}
          tab={tab}
          tabs={own}
          readOnly={all.find(({ key }) => key === 'dashboard.sld')?.readonly ?? true}
        />
      )}
    </div>
  );
}
