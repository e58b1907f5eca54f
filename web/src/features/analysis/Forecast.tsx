// Forecast: energy budget, consumption and forecast of a month (specification 3, section 2.1).
import { useMemo } from 'react';
import { Plot } from '../../charts/Plot';
import { xy } from '../../charts/xy';
import { eventTime, number } from '../../ui/format';
import { getEnergyBudget } from '../../wire/analysis-forecast';
import { basisWords, budgetCurves, methodWords, overrunText, varianceText } from './budget';
import { BudgetEntry } from './BudgetEntry';
import { Doubts, Term } from './Doubts';
import { useRepeated } from './useRepeated';
import { scopeOf, type ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';

const KWH = 'kWh';
/** Interval of updates, ms. Daily values change slowly. */
const EVERY_MS = 300_000;
/** Roles up to this one administer a utility. */
const ADMINISTRATORS = 2;

export function Forecast({ token, node, zone, login, now }: ViewProps) {
  const scope = scopeOf(node);
  const { data, problem, retry } = useRepeated(`${scope} budget`, (asking) => getEnergyBudget(token, scope, asking), EVERY_MS);
  const figure = useMemo(() => data && xy(budgetCurves(data)), [data]);
  const first = data?.forecastValues[0];
  const month = first ? new Intl.DateTimeFormat('en-GB', { timeZone: zone, month: 'long', year: 'numeric' }).format(first.timeMs) : '';
  return (
    <div className="analysis">
      <Plot
        title={t('analytics.energyBudgetTitle')}
        detail={t('analytics.dottedLine')}
        subject={[node.name, month].filter(Boolean).join(', ')}
        figure={figure}
        problem={problem}
        onRetry={retry}
        zone={zone}
        span={month}
        height={380}
      />
      {data && (
        <>
          <dl className="pairs" data-testid="budget-facts">
            <div>
              <dt>
                <Term name={t('analytics.budgetOfMonth')} definition={t('analytics.budgetMeans')} />
              </dt>
              <dd>
                {number(data.budgetKwh, 0)}{' '}
                <small>{data.budgetKwh === null ? basisWords(null) : `${KWH}, ${basisWords(data.basis)}`}</small>
              </dd>
            </div>
            <div>
              <dt>
                <Term name={t('analytics.variance')} definition={t('analytics.varianceMeans')} />
              </dt>
              <dd data-testid="budget-variance">{varianceText(data)}</dd>
            </div>
            <div>
              <dt>
                <Term name={t('analytics.overrun')} definition={t('analytics.overrunMeans')} />
              </dt>
              <dd data-testid="budget-overrun">{overrunText(data)}</dd>
            </div>
            <div>
              <dt>
                <Term name={t('analytics.method')} definition={t('analytics.bandMeans')} />
              </dt>
              <dd>{methodWords(data.method)}</dd>
            </div>
            <div>
              <dt>{t('analytics.issued')}</dt>
              <dd>{data.issuedAt ? eventTime(Date.parse(data.issuedAt), now(), zone) : '–'}</dd>
            </div>
            <div>
              <dt>
                <Term name={t('analytics.coverage')} definition={t('analytics.coverageMeans')} />
              </dt>
              <dd>
                {number(data.coverage, 1)} <small>%</small>
              </dd>
            </div>
          </dl>
          <Doubts {...data} />
          {first && login.roleId <= ADMINISTRATORS && <BudgetEntry key={scope} token={token} scope={scope} placeName={node.name} today={first} onChanged={retry} />}
        </>
      )}
    </div>
  );
}
