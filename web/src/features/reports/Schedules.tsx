// The schedules of reports: the list, the form, and the runs of the open schedule beside the list.
import { useEffect, useRef, useState } from 'react';
import { Answered, useAsk } from '../../ui/useAsk';
import { toast } from '../../ui/toast';
import { getAllReports } from '../../wire/reports';
import { asSent, changeSchedule, getSchedules, type Schedule } from '../../wire/reports-kept';
import { problemOf, type Login } from '../../wire/rest';
import { levelKey, withoutTime } from './saved';
import { formOf, MONTHLY_REPORT, NEW_SCHEDULE, type ScheduleForm as Form } from './schedule';
import { ScheduleForm } from './ScheduleForm';
import { ScheduleTable, type Told } from './ScheduleTable';
import { ScheduleRuns } from './ScheduleRuns';
import { useLevels, usePlaceNames } from './useLevels';
import { isUnderWay } from './run';
import { usePolled } from './usePolled';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  /** The server's time, epoch ms. */
  readonly now: () => number;
  readonly readOnly: boolean;
  /** The form of a new schedule; null if none is open. */
  readonly draft: Form | null;
  readonly onDraft: (draft: Form | null) => void;
}

/** Intervals at which the list is requested, ms: normally, and during a newest run. */
const AGAIN_MS = 30_000;
const BUSY_MS = 2_000;
/** Largest number of places that a sentence names. */
const NAMED_MAX = 2;

export function Schedules({ login, now, readOnly, draft, onDraft }: Props) {
  const { token, clientId } = login;
  const [isBusy, setBusy] = useState(false);
  const asked = usePolled(`schedules-${clientId}`, (asking) => getSchedules(token, asking), isBusy ? BUSY_MS : AGAIN_MS);
  const underWay = asked.data?.some(({ lastRun }) => lastRun !== null && isUnderWay(lastRun, now())) ?? false;
  useEffect(() => setBusy(underWay), [underWay]);
  const reports = useAsk(`reports-${clientId}`, async (asking) => ({ result: await getAllReports(token, asking) }));
  const { levels } = useLevels(login);
  const nameOf = usePlaceNames(login, levels, [...new Set((asked.data ?? []).flatMap(({ question }) => levelKey(question.level) ?? []))]);
  const [open, setOpen] = useState<number | null>(null);
  const [editing, setEditing] = useState<Schedule | null>(null);
  const [switching, setSwitching] = useState<number | null>(null);
  // After the form closes, the focus returns to the button that opened it.
  const back = useRef('');
  const pane = useRef<HTMLDivElement>(null);
  const isWriting = draft !== null || editing !== null;
  useEffect(() => {
    if (isWriting || !back.current) return;
    pane.current?.querySelector<HTMLElement>(`[data-testid="${back.current}"]`)?.focus();
    back.current = '';
  }, [isWriting]);

  const all = [...(reports.data ?? []), MONTHLY_REPORT];
  const told = (schedule: Schedule): Told => {
    const { report, level, levelId } = schedule.question;
    const key = levelKey(level);
    const names = levelId.slice(0, NAMED_MAX).map((id) => (key && nameOf(key, id)) ?? `${levels.find((one) => one.key === key)?.name ?? level} ${id}`);
    const more = levelId.length - names.length;
    return { report: all.find(({ ReportKey }) => ReportKey === report)?.ReportName ?? report, places: more > 0 ? t('reportskept.andMore', { names: names.join(', '), more }) : names.join(', ') };
  };
  const change = async (schedule: Schedule, enabled: boolean) => {
    const { name, question, period, format, every, weekday, dayOfMonth, time, mailTo, keepDays } = schedule;
    setSwitching(schedule.id);
    try {
      await changeSchedule(token, schedule.id, { name, question: asSent(question), period, format, every, weekday, dayOfMonth, time, mailTo, keepDays, enabled });
      asked.put((asked.data ?? []).map((one) => (one.id === schedule.id ? { ...one, enabled } : one)));
      asked.retry();
    } catch (error) {
      toast(problemOf(error), 'error');
    }
    setSwitching(null);
  };
  const begin = () => {
    back.current = 'schedule-new';
    onDraft(NEW_SCHEDULE);
  };
  const edit = (schedule: Schedule) => {
    back.current = `schedule-${schedule.id}`;
    setEditing(schedule);
  };

  if (editing && reports.data === null) {
    return (
      <div className="reports" data-testid="schedule-waits">
        <Answered asked={reports}>{() => null}</Answered>
        <div className="report-actions">
          <button type="button" data-testid="schedule-cancel" autoFocus onClick={() => setEditing(null)}>
            {t('reports.cancel')}
          </button>
        </div>
      </div>
    );
  }
  if (isWriting) {
    const known = editing && withoutTime(editing.question, all);
    return (
      <div className="reports">
        <ScheduleForm
          key={editing?.id ?? 'new'}
          login={login}
          schedule={editing}
          first={editing ? formOf(editing, known) : (draft ?? NEW_SCHEDULE)}
          gone={editing && !known ? t('reportskept.reportGone', { name: editing.name }) : ''}
          onClose={(saved) => {
            onDraft(null);
            setEditing(null);
            if (saved) asked.retry();
          }}
        />
      </div>
    );
  }
  const opened = asked.data?.find(({ id }) => id === open) ?? null;
  return (
    <div className="reports schedules" ref={pane} data-open={opened !== null} data-state={asked.data ? undefined : asked.problem ? 'failed' : 'loading'}>
      <div className="schedule-list">
        <div className="bar">
          {!readOnly && (
            <button type="button" className="primary" data-testid="schedule-new" onClick={begin}>
              {t('reportskept.newSchedule')}
            </button>
          )}
          <span>{t('reportskept.timesIn', { zone: login.timeZone })}</span>
        </div>
        <Answered asked={asked}>
          {(rows) =>
            rows.length === 0 ? (
              <div className="notice" data-testid="schedules-none">
                <p>{t('reportskept.noSchedules')}</p>
              </div>
            ) : (
              <ScheduleTable
                rows={rows}
                told={told}
                zone={login.timeZone}
                now={now}
                readOnly={readOnly}
                isStale={asked.problem !== ''}
                open={open}
                switching={switching}
                onOpen={(id) => setOpen(id === open ? null : id)}
                onSwitch={(schedule, enabled) => void change(schedule, enabled)}
              />
            )
          }
        </Answered>
      </div>
      {opened && (
        <ScheduleRuns
          key={opened.id}
          token={token}
          zone={login.timeZone}
          now={now}
          readOnly={readOnly}
          schedule={opened}
          told={told(opened)}
          onEdit={() => edit(opened)}
          onClose={() => {
            setOpen(null);
            pane.current?.querySelector<HTMLElement>(`[data-testid="schedule-${opened.id}"]`)?.focus();
          }}
          onChanged={asked.retry}
          onGone={() => {
            setOpen(null);
            asked.put((asked.data ?? []).filter(({ id }) => id !== opened.id));
            asked.retry();
            pane.current?.querySelector<HTMLElement>('[data-testid="schedule-new"]')?.focus();
          }}
        />
      )}
    </div>
  );
}
