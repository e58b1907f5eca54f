// Asset health with generated answers, for visual review and measurements: ?tab=heat|matrix|map|forecast|plant, &sections=5000, &theme=light,
// &fail=1, &empty=1, &slow=1. ?screen=import is the administrator's import.
import '@fontsource-variable/inter';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { HealthImport } from '../src/features/administration/HealthImport';
import { AssetHealth } from '../src/features/assethealth/AssetHealth';
import { Notices } from '../src/ui/notice';
import { Toasts } from '../src/ui/toast';
import { useAsk } from '../src/ui/useAsk';
import type { Network } from '../src/wire/monitoring';
import { get } from '../src/wire/rest';
import '../src/ui/tokens.css';
import '../src/ui/app.css';
import '../src/ui/shell.css';
import '../src/ui/monitoring.css';
import { answer } from './assethealth-data';

const asked = new URLSearchParams(location.search);
document.documentElement.dataset.theme = asked.get('theme') ?? 'dark';
let fails = asked.has('fail');
Object.assign(window, { failing: (now: boolean) => (fails = now) });

window.fetch = async (input, init) => {
  const url = new URL(String(input), location.href);
  if (asked.has('slow')) await new Promise((wake) => setTimeout(wake, 3_000));
  init?.signal?.throwIfAborted();
  if (fails) return Response.json({ statusCode: 503, message: 'The history is not available just now.', result: null }, { status: 503 });
  if (url.pathname.includes('/template/')) return new Response('feeder,cable,section,length_m\r\n', { headers: { 'content-type': 'text/csv' } });
  const sent = init?.body instanceof Blob ? await init.body.text() : init?.body ? JSON.parse(String(init.body)) : null;
  const result = answer(url, sent, asked.has('empty') ? 0 : Number(asked.get('sections') ?? 5_000)) as { dryRun?: boolean; faults?: unknown[] } | null;
  if (result?.dryRun === false && result.faults?.length) {
    return Response.json({ statusCode: 400, message: 'The file has faults. Nothing was imported.', faults: result.faults }, { status: 400 });
  }
  return Response.json({ statusCode: 200, message: '', result });
};

function Page() {
  const [query, setQuery] = useState(asked);
  const network = useAsk('network', () => get<Network>('none', 'map/network/client/1'));
  return (
    <main className="main health-main">
      <header>
        <h1>Asset Health Monitoring</h1>
      </header>
      <AssetHealth token="none" zone="Asia/Kolkata" network={network} query={query} onQuery={(next) => setQuery(new URLSearchParams(next))} />
    </main>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    {asked.get('screen') === 'import' ? (
      <main className="plain-page">
        <h1>Administration</h1>
        <HealthImport token="none" zone="Asia/Kolkata" />
      </main>
    ) : (
      <Page />
    )}
    <Toasts />
    <Notices />
  </StrictMode>,
);
