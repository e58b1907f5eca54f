// The route of the health of cables and plant.
import { useOutletContext, useSearchParams } from 'react-router';
import { AssetHealth as Screen } from '../features/assethealth/AssetHealth';
import { lastPlace } from '../ui/opening';
import { useNetwork } from './overview';
import { titleOf } from './screens';
import type { Given } from './Shell';

export function AssetHealth() {
  const { login } = useOutletContext<Given>();
  const [query, setQuery] = useSearchParams();
  const network = useNetwork(login);
  const last = lastPlace(login);
  return (
    <main className="main health-main">
      <header>
        <h1>{titleOf('/assethealth')}</h1>
      </header>
      <Screen token={login.token} last={last?.level === 'substation' ? last.id : null} zone={login.timeZone} network={network} query={query} onQuery={setQuery} />
    </main>
  );
}
