// The monthly performance report: places, month, and a button that creates a PDF.
import { useId, useRef, useState } from 'react';
import type { LevelKey } from '../../ui/levels';
import { downloadMonthly } from '../../wire/reports';
import type { Login } from '../../wire/rest';
import { missingOfMonthly, monthAtFirst, monthChoices } from './monthly';
import { dayOf } from './period';
import { Places } from './Places';
import { Progress } from './Progress';
import { levelName, NOTHING, takesMany } from './rules';
import { MONTHLY_NODES_MAX, MONTHLY_REPORT, NEW_SCHEDULE, withEvery, type ScheduleForm } from './schedule';
import { useTaking } from './useTaking';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  /** The server's time, epoch ms. */
  readonly now: () => number;
  readonly readOnly: boolean;
  /** Creates a schedule with the selection. */
  readonly onSchedule: (form: ScheduleForm) => void;
}

export function Monthly({ login, now, readOnly, onSchedule }: Props) {
  const { token, timeZone } = login;
  const id = useId();
  // Computed at each render, because the page can stay open into the next month.
  const today = dayOf(now(), timeZone);
  const [level, setLevel] = useState<LevelKey | null>(null);
  const [nodes, setNodes] = useState<readonly number[]>([]);
  const [month, setMonth] = useState(() => monthAtFirst(today));
  const making = useRef<HTMLButtonElement>(null);
  const { loading, problem, said, take, cancel, hush } = useTaking(timeZone);
  const missing = missingOfMonthly(level, nodes);
  const make = () => {
    if (level === null || missing !== '' || loading) return;
    void take((stop, onBytes) => downloadMonthly(token, levelName(level), nodes, month, stop, onBytes), 'pdf', MONTHLY_REPORT.ReportName);
  };
  return (
    <div className="reports">
      <form
        id={`${id}-form`}
        className="report-form"
        aria-label={t('reportskept.monthlyReport')}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <p className="about">{t('reportskept.aboutMonthly', { most: MONTHLY_NODES_MAX })}</p>
        <fieldset>
          <legend>{t('reports.where')}</legend>
          <Places
            login={login}
            level={level}
            nodes={nodes}
            isMany={takesMany(level, MONTHLY_REPORT)}
            onLevel={(to) => {
              hush();
              setLevel(to);
              setNodes([]);
            }}
            onNodes={(to) => {
              hush();
              setNodes(to);
            }}
          />
        </fieldset>
        <fieldset>
          <legend>{t('reportskept.when')}</legend>
          <label className="field">
            <span>{t('reports.month')}</span>
            <select
              data-testid="monthly-month"
              value={month}
              onChange={(event) => {
                hush();
                setMonth(event.target.value);
              }}
            >
              {monthChoices(today).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </fieldset>
      </form>
      <div className="report-actions">
        <button type="submit" form={`${id}-form`} className="primary" data-testid="monthly-make" ref={making} disabled={missing !== ''} aria-disabled={loading !== null} aria-describedby={`${id}-missing`}>
          {t('reportskept.makeMonthly')}
        </button>
        {!readOnly && (
          <button
            type="button"
            data-testid="monthly-schedule"
            disabled={missing !== ''}
            onClick={() => onSchedule(withEvery({ ...NEW_SCHEDULE, selection: { ...NOTHING, level, nodes, report: MONTHLY_REPORT.ReportId, type: 'Historic' } }, 'month'))}
          >
            {t('reportskept.everyMonthDots')}
          </button>
        )}
        {loading && (
          <Progress
            loading={loading}
            onCancel={() => {
              cancel();
              making.current?.focus();
            }}
          />
        )}
        <span className="hint" id={`${id}-missing`} role="status" data-testid="monthly-missing">
          {missing || said}
        </span>
      </div>
      {problem && (
        <p className="stale-line" role="alert" data-testid="monthly-problem">
          {problem}
        </p>
      )}
    </div>
  );
}
