// The screens of reports: reports on demand, schedules with their runs, and the monthly performance report.
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { TabList } from '../../ui/TabList';
import type { Login } from '../../wire/rest';
import { Monthly } from './Monthly';
import { ReportExport } from './ReportExport';
import type { Selection } from './rules';
import { NEW_SCHEDULE, type ScheduleForm } from './schedule';
import { Schedules } from './Schedules';
import { t } from '../../words';
import './reports.css';

interface Props {
  readonly login: Login;
  /** The server's time, epoch ms. */
  readonly now: () => number;
  /** Whether the user may only view the page. */
  readonly readOnly: boolean;
}

const TABS = [
  ['export', t('reportskept.onDemand')],
  ['schedules', t('reportskept.schedules')],
  ['monthly', t('reportskept.monthlyReport')],
] as const;

export function ReportScreens({ login, now, readOnly }: Props) {
  const [query, setQuery] = useSearchParams();
  const tab = TABS.find(([key]) => key === query.get('tab'))?.[0] ?? 'export';
  const go = (key: string) => setQuery(key === 'export' ? {} : { tab: key });
  /** A new schedule that starts with a selection of another screen. */
  const [draft, setDraft] = useState<ScheduleForm | null>(null);
  const schedule = (selection: Selection) => {
    setDraft({ ...NEW_SCHEDULE, selection: { ...selection, frequency: null, parts: {} } });
    go('schedules');
  };
  return (
    <>
      <TabList label={t('reportskept.reports')} tabs={TABS} current={tab} onChoose={go} />
      {/* Hidden and not unmounted, so that the selection, the rows and a running download remain. */}
      <div className="reports" hidden={tab !== 'export'}>
        <ReportExport login={login} now={now} readOnly={readOnly} onSchedule={schedule} />
      </div>
      {tab === 'schedules' && <Schedules login={login} now={now} readOnly={readOnly} draft={draft} onDraft={setDraft} />}
      {tab === 'monthly' && (
        <Monthly
          login={login}
          now={now}
          readOnly={readOnly}
          onSchedule={(form) => {
            setDraft(form);
            go('schedules');
          }}
        />
      )}
    </>
  );
}
