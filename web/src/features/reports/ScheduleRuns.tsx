// One schedule: its description, a button to run it, and its runs with cancelling, downloads and links.
import { useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { headerTime } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered } from '../../ui/useAsk';
import { downloadRun, getRuns, removeSchedule, runNow, stopRun, type Run, type Schedule } from '../../wire/reports-kept';
import { problemOf } from '../../wire/rest';
import { Links } from './Links';
import { Progress, Since } from './Progress';
import { daysText, isOpen, isUnderWay, keptUntil, nextText, stateText, waitsUntil } from './run';
import { whenText } from './schedule';
import type { Told } from './ScheduleTable';
import { usePolled } from './usePolled';
import { useTaking } from './useTaking';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly schedule: Schedule;
  readonly told: Told;
  readonly onEdit: () => void;
  readonly onClose: () => void;
  /** Called when a run starts or ends, so that the list is updated. */
  readonly onChanged: () => void;
  readonly onGone: () => void;
}

/** Intervals at which the runs are requested, ms: during a run, and otherwise. */
const BUSY_MS = 2_000;
const QUIET_MS = 30_000;

export function ScheduleRuns({ token, zone, now, readOnly, schedule, told, onEdit, onClose, onChanged, onGone }: Props) {
  const { id, name, question, mailTo, keepDays } = schedule;
  const heading = useId();
  const [isBusy, setBusy] = useState(false);
  const asked = usePolled(`runs-${id}`, (asking) => getRuns(token, id, asking), isBusy ? BUSY_MS : QUIET_MS);
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState('');
  const [leaving, setLeaving] = useState(false);
  const [linking, setLinking] = useState<Run | null>(null);
  const [stopping, setStopping] = useState<Run | null>(null);
  /** Runs that are being cancelled. */
  const [ending, setEnding] = useState<readonly number[]>([]);
  const own = useRef<HTMLElement>(null);
  // The button of an ended run disappears, so its focus moves to the schedule.
  const home = useCallback(() => own.current?.focus(), []);
  useEffect(() => {
    if (stopping === null) return undefined;
    return () => void (document.activeElement === document.body && home());
  }, [stopping, home]);
  const taking = useTaking(zone);
  const starting = useRef<AbortController | null>(null);
  useEffect(() => () => starting.current?.abort(), []);
  const underWay = asked.data?.some((run) => isUnderWay(run, now())) ?? false;
  const was = useRef(false);
  useEffect(() => {
    setBusy(underWay || isStarting);
    if (was.current && !underWay) onChanged();
    was.current = underWay;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called when the state changes
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
  const end = async (run: Run) => {
    setStopping(null);
    if (ending.includes(run.id)) return;
    setEnding((before) => [...before, run.id]);
    setProblem('');
    try {
      const ended = await stopRun(token, run.id);
      asked.put((asked.data ?? []).map((one) => (one.id === run.id ? ended : one)));
      toast(t('reportskept.stopped'));
    } catch (error) {
      setProblem(problemOf(error));
    }
    setEnding((before) => before.filter((id) => id !== run.id));
    asked.retry();
    onChanged();
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
    <section className="schedule-one" ref={own} tabIndex={-1} aria-labelledby={heading} data-testid="schedule-one">
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
        <Known name={t('reportskept.kept')}>{t('reportskept.days', { count: keepDays })}</Known>
      </dl>
      {!readOnly && (
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
      )}
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
                  until={waitsUntil(run, now())}
                  goes={keptUntil(run)}
                  isTaking={taking.loading !== null}
                  onTake={() => void taking.take((stop, onBytes) => downloadRun(token, run.id, stop, onBytes), schedule.format, name)}
                  onLinks={() => setLinking(run)}
                  stop={readOnly || !isOpen(run) ? null : { isAsked: ending.includes(run.id), onStop: () => setStopping(run), onGone: home }}
                />
              ))}
            </ul>
          )
        }
      </Answered>
      {linking && <Links token={token} zone={zone} run={linking} readOnly={readOnly} onClose={() => setLinking(null)} />}
      {stopping && (
        <Dialog title={t('reportskept.stopQuestion', { time: headerTime(Date.parse(stopping.due), zone) })} onClose={() => setStopping(null)}>
          <p>{t('reportskept.stopMeans')}</p>
          <div className="actions">
            <button type="button" data-first="" autoFocus data-testid="run-stop-no" onClick={() => setStopping(null)}>
              {t('reportskept.letItRun')}
            </button>
            <button type="button" className="danger" data-testid="run-stop-yes" onClick={() => void end(stopping)}>
              {t('reportskept.stop')}
            </button>
          </div>
        </Dialog>
      )}
      {leaving && (
        <Dialog title={t('reportskept.deleteQuestion', { name })} onClose={() => setLeaving(false)}>
          <p>{t('reportskept.deleteMeans')}</p>
          <div className="actions">
            <button type="button" data-first="" autoFocus onClick={() => setLeaving(false)}>
              {t('reportskept.keep')}
            </button>
            <button type="button" className="danger" data-testid="schedule-delete-yes" onClick={() => void drop()}>
              {t('reportskept.delete')}
            </button>
          </div>
        </Dialog>
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

/** The properties of the button that cancels a run. */
interface Stop {
  readonly isAsked: boolean;
  readonly onStop: () => void;
  /** Called when the button disappears while it has the focus. Pass a stable function. */
  readonly onGone: () => void;
}

function StopButton({ run, due, isAsked, onStop, onGone }: Stop & { readonly run: number; readonly due: string }) {
  const button = useRef<HTMLButtonElement>(null);
  // A layout effect runs while the button is on the page. A removed button no longer has the focus.
  useLayoutEffect(() => {
    const own = button.current;
    return () => void (document.activeElement === own && onGone());
  }, [onGone]);
  return (
    <button type="button" ref={button} data-testid={`run-${run}-stop`} aria-label={t('reportskept.stopOf', { time: due })} aria-disabled={isAsked} onClick={() => !isAsked && onStop()}>
      {t('reportskept.stop')}
    </button>
  );
}

interface RowProps {
  readonly run: Run;
  readonly zone: string;
  /** Earliest start of a waiting run, epoch ms. */
  readonly until: number | null;
  /** When the file is deleted, epoch ms. */
  readonly goes: number | null;
  readonly isTaking: boolean;
  readonly onTake: () => void;
  readonly onLinks: () => void;
  /** Null if the run cannot be cancelled. */
  readonly stop: Stop | null;
}

function RunRow({ run, zone, until, goes, isTaking, onTake, onLinks, stop }: RowProps) {
  const due = headerTime(Date.parse(run.due), zone);
  const days = daysText(run.period);
  return (
    <li data-testid={`run-${run.id}`} data-run={run.state}>
      <div>
        <b>{due}</b>
        <span data-run={run.state}>{until === null ? stateText(run) : t('reportskept.waitsUntil', { time: headerTime(until, zone) })}</span>
      </div>
      {(days || run.mailed) && <small>{[days, run.mailed ? t('reportskept.mailed') : ''].filter(Boolean).join(' · ')}</small>}
      {run.message && <p>{run.message}</p>}
      {stop && (
        <div className="files">
          <StopButton {...stop} run={run.id} due={due} />
        </div>
      )}
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
