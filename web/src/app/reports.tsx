// The routes of reports: the export, and reports that another server shows.
import { useMemo } from 'react';
import { useLocation, useNavigate, useOutletContext } from 'react-router';
import { PowerBi } from '../features/embedded/PowerBi';
import { ReportsFrame } from '../features/embedded/ReportsFrame';
import { ReportScreens } from '../features/reports/ReportScreens';
import { useLive } from '../live/live';
import { TabList } from '../ui/TabList';
import type { Given } from './Shell';
import { titleOf } from './screens';
import { usePages } from './usePages';
import { t } from '../words';

export function Reports() {
  const { login } = useOutletContext<Given>();
  const { pathname } = useLocation();
  const { connection } = useLive();
  const { tabs } = usePages();
  const now = useMemo(() => () => connection.clock.now() ?? Date.now(), [connection]);
  // The server checks the permission as well.
  const readOnly = login.demo || (tabs?.find(({ key }) => key === 'reports.export')?.readonly ?? true);
  return (
    <main className="main">
      <header>
        <h1>{titleOf(pathname)}</h1>
      </header>
      <ReportScreens login={login} now={now} readOnly={readOnly} />
    </main>
  );
}

/** The Power BI report, and the utility's page of reports on another server. */
export function Embedded() {
  const { login } = useOutletContext<Given>();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const tab = new URLSearchParams(search).get('tab') === 'reports' ? 'reports' : 'powerbi';
  return (
    <main className="main">
      <header>
        <h1>{titleOf(pathname)}</h1>
      </header>
      <TabList
        label={titleOf(pathname)}
        tabs={[
          ['powerbi', titleOf(pathname)],
          ['reports', t('embedded.reports')],
        ]}
        current={tab}
        onChoose={(key) => void navigate({ search: key === 'powerbi' ? '' : `?tab=${key}` })}
      />
      <div className="pane">{tab === 'powerbi' ? <PowerBi login={login} /> : <ReportsFrame login={login} />}</div>
    </main>
  );
}
