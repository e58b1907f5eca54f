// The optimiser and the administration of its sites with generated answers, for visual review: ?screen=optimiser|sites, &theme=light,
// &fail=1, &none=1, &past=0, &slow=1, &refused=1, &pages=lc.power-flow.
import '@fontsource-variable/inter';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { LowCarbonSites } from '../src/features/administration/LowCarbonSites';
import { LowCarbon } from '../src/features/lowcarbon/LowCarbon';
import { Toasts } from '../src/ui/toast';
import '../src/ui/tokens.css';
import '../src/ui/app.css';
import '../src/ui/shell.css';
import '../src/ui/monitoring.css';
import { compared, configuration, NOW, optimised, PLACES, POINTS, SITES } from './lowcarbon-data';

const asked = new URLSearchParams(location.search);
document.documentElement.dataset.theme = asked.get('theme') ?? 'dark';
let fails = asked.has('fail');
Object.assign(window, { failing: (now: boolean) => (fails = now), sent: [] as unknown[] });

const refused = (status: number, message: string) => Response.json({ statusCode: status, message, result: null }, { status });

window.fetch = async (input, init) => {
  const { pathname } = new URL(String(input), location.href);
  const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
  if (body) (window as unknown as { sent: unknown[] }).sent.push(body);
  const isRun = pathname.startsWith('/api/optimisebattery/');
  if (asked.has('slow') && isRun) await new Promise((wake) => setTimeout(wake, 3_000));
  init?.signal?.throwIfAborted();
  if (fails && isRun) return refused(422, 'There is no demand for this site: choose a demand file, or wait for a day of measurements.');
  if (asked.has('refused') && isRun && body?.BatteryCapacityMinKwh > 100) return refused(400, 'BatteryCapacityMinKwh: is 120, above BatteryCapacityMaxKwh, which is 100');
  if (init?.method === 'PUT') return asked.has('refused') ? refused(400, 'initialEnergyKwh: is 500, above BatteryCapacityMaxKwh, which is 100') : Response.json({ statusCode: 200, message: '', result: null });
  const sites = asked.has('none') ? [] : asked.has('one') ? SITES.slice(0, 1) : SITES;
  const call = pathname.replace('/api/', '');
  const result = call.endsWith('/compare')
    ? compared(body.base, body.changed)
    : isRun
      ? optimised(body, { hasPast: asked.get('past') !== '0', hasWarnings: asked.has('warn') })
      : call.startsWith('lowcarbon/sites/')
        ? sites
        : call.startsWith('lowcarbon/site/')
          ? configuration(Number(call.split('/')[2]), sites.find(({ deviceId }) => call.endsWith(String(deviceId)))?.name ?? '')
          : call === 'admin/lowcarbonsites'
            ? sites.map(({ deviceId, name }) => configuration(deviceId, name))
            : call.startsWith('substation/')
              ? PLACES
              : POINTS;
  return Response.json({ statusCode: 200, message: '', result });
};

const PAGES = ['lc.site-analytics', 'lc.energy-consumption', 'lc.power-flow'];

function Shown() {
  const [device, setDevice] = useState<number | null>(null);
  if (asked.get('screen') === 'sites') {
    return (
      <main className="plain-page">
        <LowCarbonSites token="none" client={1} zone="Asia/Kolkata" />
      </main>
    );
  }
  return (
    <div className="asset-view">
      <LowCarbon token="none" scope="location/7" placeName="33/11 kV Quayside" pages={asked.get('pages')?.split(',') ?? PAGES} device={device} onDevice={setDevice} now={() => NOW} />
    </div>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MemoryRouter>
      <div className="shown">
        <Shown />
      </div>
      <Toasts />
    </MemoryRouter>
  </StrictMode>,
);
