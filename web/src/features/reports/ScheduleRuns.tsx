// One schedule: what it does in words, running it now, and what it has made, with files to take and links to give.
import { useEffect, useId, useRef, useState } from 'react';
import { headerTime } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered } from '../../ui/useAsk';
import { downloadRun, getRuns, removeSchedule, runNow, type Run, type Schedule } from '../../wire/reports-kept';
import { problemOf } from '../../wire/rest';
import { FocusedDialog } from './FocusedDialog';
import { Links } from './Links';
import { Progress, Since } from './Progress';
import { daysText, isUnderWay, keptUntil, nextText, stateText } from './run';
import { whenText } from './schedule';
import type { Told } from './ScheduleTable';
import { usePolled } from './usePolled';
import { useTaking } from './useTaking';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly now: () => number;
  readonly schedule: Schedule;
  readonly told: Told;
  readonly onEdit: () => void;
  readonly onClose: () => void;
  /** A run began or ended: the list tells of it too. */
  readonly onChanged: () => void;
  readonly onGone: () => void;
}

/** Runs are asked for this often, ms: while one is made, and else. */
const BUSY_MS = 2_000;
const QUIET_MS = 30_000;

export function ScheduleRuns({ token, zone, now, schedule, told, onEdit, onClose, onChanged, onGone }: Props) {
  const { id, name, question, mailTo, keepDays } = schedule;
  const heading = useId();
  const [isBusy, setBusy] = useState(false);
  const asked = usePolled(`runs-${id}`, (asking) => getRuns(token, id, asking), isBusy ? BUSY_MS : QUIET_MS);
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState('');
  const [leaving, setLeaving] = useState(false);
  const [linking, setLinking] = useState<Run | null>(null);
  const taking = useTaking(zone);
  const starting = useRef<AbortController | null>(null);
  useEffect(() => () => starting.current?.abort(), []);
  const underWay = asked.data?.some(isUnderWay) ?? false;
  const was = useRef(false);
  useEffect(() => {
    setBusy(underWay || isStarting);
    if (was.current && !underWay) onChanged();
    was.current = underWay;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- told when it changes
  }, [underWay, isStarting]);

  const start = async () => {
    const stop = new AbortController();
    starting.current = stop;
    setStarting(true);
    setProblem('');
    try {
      const run = await runNow(token, id, stop.signal);
      asked.put([run, ...(asked.data ?? []).filter((one) => one.id !== run.id)]);
      asked.retry();
      onChanged();
    } catch (error) {
      if (stop.signal.aborted) return;
      setProblem(problemOf(error));
    }
    setStarting(false);
  };
  const drop = async () => {
    setLeaving(false);
    try {
      await removeSchedule(token, id);
      toast(t('reportskept.deleted', { name }));
      onGone();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const next = nextText(schedule, now(), zone);
  return (
    <section className="schedule-one" aria-labelledby={heading} data-testid="schedule-one">
      <header>
        <h2 id={heading}>{name}</h2>
        <button type="button" className="plain" data-testid="schedule-close" onClick={onClose}>
          {t('reportskept.close')}
        </button>
      </header>
      <p>{whenText(schedule, question.reportType.toLowerCase() === 'realtime')}</p>
      <dl className="known">
        <Known name={t('reportskept.report')}>
          {told.report} · {schedule.format.toUpperCase()}
        </Known>
        <Known name={t('reports.where')}>{told.places}</Known>
        <Known name={t('reportskept.next')}>{next.text}</Known>
        <Known name={t('reportskept.mailTo')}>{mailTo.length > 0 ? mailTo.join(', ') : t('reportskept.nobody')}</Known>
        <Known name={t('reportskept.kept')}>{t('reportskept.days', { days: keepDays })}</Known>
      </dl>
      <div className="actions start">
        <button type="button" className="primary" data-testid="run-now" aria-disabled={isStarting || underWay} onClick={() => !isStarting && !underWay && void start()}>
          {t('reportskept.runNow')}
        </button>
        <button type="button" data-testid="schedule-edit" onClick={onEdit}>
          {t('reportskept.edit')}
        </button>
        <button type="button" data-testid="schedule-delete" onClick={() => setLeaving(true)}>
          {t('reportskept.deleteDots')}
        </button>
      </div>
      {(isStarting || underWay) && (
        <p className="progress" role="status" data-testid="run-progress">
          <progress aria-label={t('reportskept.beingMade')} />
          <span>
            {t('reportskept.beingMade')} · <Since />
          </span>
        </p>
      )}
      {taking.loading && <Progress loading={taking.loading} onCancel={taking.cancel} />}
      {(problem || taking.problem) && (
        <p className="stale-line" role="alert" data-testid="schedule-problem">
          {problem || taking.problem}
        </p>
      )}
      <h3>{t('reportskept.runs')}</h3>
      <Answered asked={asked}>
        {(runs) =>
          runs.length === 0 ? (
            <p className="quiet" data-testid="runs-none">
              {t('reportskept.noRuns')}
            </p>
          ) : (
            <ul className="runs" data-stale={asked.problem !== ''}>
              {runs.map((run) => (
                <RunRow
                  key={run.id}
                  run={run}
                  zone={zone}
                  goes={keptUntil(run)}
                  isTaking={taking.loading !== null}
                  onTake={() => void taking.take((stop, onBytes) => downloadRun(token, run.id, stop, onBytes), schedule.format, name)}
                  onLinks={() => setLinking(run)}
                />
              ))}
            </ul>
          )
        }
      </Answered>
      {linking && <Links token={token} zone={zone} run={linking} onClose={() => setLinking(null)} />}
      {leaving && (
        <FocusedDialog title={t('reportskept.deleteQuestion', { name })} onClose={() => setLeaving(false)}>
          <p>{t('reportskept.deleteMeans')}</p>
          <div className="actions">
            <button type="button" data-first="" autoFocus onClick={() => setLeaving(false)}>
              {t('reportskept.keep')}
            </button>
            <button type="button" className="danger" data-testid="schedule-delete-yes" onClick={() => void drop()}>
              {t('reportskept.delete')}
            </button>
          </div>
        </FocusedDialog>
      )}
    </section>
  );
}

function Known({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface RowProps {
  readonly run: Run;
  readonly zone: string;
  /** When its file goes, epoch ms. */
  readonly goes: number | null;
  readonly isTaking: boolean;
  readonly onTake: () => void;
  readonly onLinks: () => void;
}

function RunRow({ run, zone, goes, isTaking, onTake, onLinks }: RowProps) {
  const due = headerTime(Date.parse(run.due), zone);
  const days = daysText(run.period);
  return (
    <li data-testid={`run-${run.id}`} data-run={run.state}>
      <div>
        <b>{due}</b>
        <span data-run={run.state}>{stateText(run)}</span>
      </div>
      {(days || run.mailed) && <small>{[days, run.mailed ? t('reportskept.mailed') : ''].filter(Boolean).join(' · ')}</small>}
      {run.message && <p>{run.message}</p>}
      {run.state === 'done' && run.fileName !== null && (
        <div className="files">
          <button type="button" data-testid={`run-${run.id}-file`} aria-label={t('reportskept.downloadOf', { time: due })} aria-disabled={isTaking} onClick={() => !isTaking && onTake()}>
            {t('reports.download')}
          </button>
          <button type="button" data-testid={`run-${run.id}-links`} aria-label={t('reportskept.linksOf', { time: due })} onClick={onLinks}>
            {t('reportskept.links')}
          </button>
          {goes !== null && <small>{t('reportskept.keptUntil', { time: headerTime(goes, zone).slice(0, -6) })}</small>}
        </div>
      )}
    </li>
  );
}
