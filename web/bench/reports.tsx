// The screens of reports and the embedded pages with generated answers, for visual review: ?screen=export|powerbi|embed,
// &tab=schedules|monthly, &theme=light, &fail=1, &rows=0, &slow=1, &gds=1, &none=1, &down=1, &configured=1, &status=503.
import '@fontsource-variable/inter';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { PowerBi } from '../src/features/embedded/PowerBi';
import { ReportsFrame } from '../src/features/embedded/ReportsFrame';
import { ReportScreens } from '../src/features/reports/ReportScreens';
import { Notices } from '../src/ui/notice';
import { Toasts } from '../src/ui/toast';
import type { Login } from '../src/wire/rest';
import '../src/ui/tokens.css';
import '../src/ui/app.css';
import '../src/ui/shell.css';
import '../src/ui/monitoring.css';
import '../src/ui/screens.css';
import { answerOfKept } from './reports-kept-data';
import { ASSETS, COLUMNS, details, DIVISIONS, FREQUENCIES, LEVELS, LOCATIONS, NOW, REPORTS, rows } from './reports-data';

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'dark';
const sent: { path: string; body: unknown }[] = [];
Object.assign(window, { sent });
const count = Number(query.get('rows') ?? 5_000);

const ok = (result: unknown, more: object = {}) => Response.json({ statusCode: 200, message: '', result, ...more });
const refused = (status: number, message: string) => Response.json({ statusCode: status, message, result: null }, { status });
const LISTS: Readonly<Record<string, unknown>> = { role: LEVELS, circle: [{ displayId: 2, displayName: 'Coast', breadCrumbName: 'Coast' }], division: DIVISIONS, substation: LOCATIONS, asset: ASSETS };

/** A file that arrives in parts, as over a slow line. */
function file(stop: AbortSignal | null | undefined): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(to) {
      await new Promise((wake) => setTimeout(wake, query.has('slow') ? 250 : 5));
      if (stop?.aborted) return to.error(stop.reason);
      if (at++ === 40) return to.close();
      to.enqueue(new Uint8Array(65_536));
    },
  });
  const headers = { 'Content-Type': 'application/pdf', 'Content-Disposition': 'attachment; filename="Event-Log_20261122_140300.pdf"', 'X-Report-Rows': String(count) };
  return new Response(body, { headers });
}

window.fetch = async (input, init) => {
  const { pathname, search } = new URL(String(input), location.href);
  const call = pathname.replace('/api/', '');
  if (init?.method === 'POST' && init.body) sent.push({ path: call + search, body: JSON.parse(String(init.body)) });
  if (query.has('fail') && init?.method === 'POST') return refused(422, 'frequencyValue.from: is 2027-01-01, after today');
  if (call === 'reports/download') return file(init?.signal);
  if (call === 'reports/show') {
    await new Promise((wake, refuse) => {
      const timer = setTimeout(wake, query.has('slow') ? 8_000 : 100);
      init?.signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        refuse(init.signal?.reason);
      });
    });
    return ok({ columns: COLUMNS, rows: rows(count), more: count >= 5_000 });
  }
  if (call === 'reports/monthly' || /^reports\/runs\/\d+\/file$/.test(call)) return file(init?.signal);
  if (/^reports\/(selections|schedules|runs|links)/.test(call)) {
    if (query.has('down')) return refused(503, 'The database does not answer.');
    const { status = 200, result } = answerOfKept(call, init?.method ?? 'GET', init?.body ? JSON.parse(String(init.body)) : null, query.has('none'));
    return status === 200 ? ok(result) : refused(status, String(result));
  }
  if (call === 'admin/members') return ok([{ id: 3, email: 'asha.rao@harbour.example', firstName: 'Asha', lastName: 'Rao', disabled: false }]);
  if (call === 'powerbi/getembedinfo') {
    if (query.has('status')) return refused(Number(query.get('status')), 'Power BI cannot be reached.');
    return ok(query.has('configured') ? { accessToken: 'made-up', embedUrl: 'https://embed.invalid/reportEmbed?reportId=7', reportId: '7' } : null);
  }
  if (call === 'pfcreport/reportfrequencylist') return ok(FREQUENCIES);
  if (call === 'pfcreport/reportslist' || call.startsWith('pfcreport/reportslistbyrole/')) return ok(REPORTS);
  if (call.startsWith('pfcreport/reportdetails/')) return ok(details(Number(call.split('/')[2])));
  if (call.startsWith('client/clientconfiguration/')) return ok({ labels: { circle: 'Circle', division: 'Division', substation: 'Location', asset: 'Feeder' }, reportsEmbedUrl: query.has('configured') ? 'https://embed.invalid/' : null });
  return ok(LISTS[call.split('/')[0] ?? ''] ?? []);
};

const login = { id: 9, token: 'none', clientId: 1, clientName: 'Harbour Electric', fName: 'Meera', lName: 'Iyer', email: 'meera.iyer@harbour.example', roleId: 2, timeZone: 'Asia/Kolkata', showGDSData: query.has('gds') } as Login;
const now = () => NOW;

function Screen() {
  switch (query.get('screen')) {
    case 'powerbi':
      return <PowerBi login={login} />;
    case 'embed':
      return <ReportsFrame login={login} />;
    default:
      return <ReportScreens login={login} readOnly={false} now={now} />;
  }
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <main className="main shown">
      <h1 className="visually-hidden">Reports</h1>
      <BrowserRouter>
        <Screen />
      </BrowserRouter>
    </main>
    <Toasts />
    <Notices />
  </StrictMode>,
);
