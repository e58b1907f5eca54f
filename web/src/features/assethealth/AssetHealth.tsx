// Asset Health Monitoring: the cable sections of a substation in a year, as heat maps, matrix, map, risk forecast and table. All of them show
// the same sections and the same selection (specification 3, section 2.3).
import { useAsk, type Asked } from '../../ui/useAsk';
import { getHealthSubstations, type HealthSubstations } from '../../wire/cable-health';
import type { Network } from '../../wire/monitoring';
import { Health } from './Health';
import { chosenIn, yearFor, yearsOf, type Chosen } from './selectors';
import { t } from '../../words';
import '../../ui/analysis.css';
import '../../ui/screens.css';
import './assethealth.css';

export interface Props {
  readonly token: string;
  /** The user's last substation, if any. */
  readonly last?: number | null;
  readonly zone: string;
  readonly network: Asked<Network>;
  /** The address contains substation, year and tab. */
  readonly query: URLSearchParams;
  readonly onQuery: (query: Record<string, string>) => void;
}

export function AssetHealth(props: Props) {
  const asked = useAsk('health-substations', async (asking) => ({ result: await getHealthSubstations(props.token, asking) }));
  if (asked.data) return <Screen {...props} choices={asked.data} />;
  if (!asked.problem) return <div className="notice">{t('assethealth.loading')}</div>;
  return (
    <div className="notice" role="alert">
      {asked.problem}
      <button type="button" onClick={asked.retry}>
        {t('charts.tryAgain')}
      </button>
    </div>
  );
}

function Screen({ choices, query, onQuery, last = null, ...props }: Props & { choices: HealthSubstations }) {
  const { substations } = choices;
  const chosen = chosenIn(query, choices, last);
  const { substation, year } = chosen;
  const tab = query.get('tab') ?? '';
  const put = (to: Chosen, tabNow = tab) =>
    onQuery({ substation: String(to.substation ?? ''), year: String(to.year ?? ''), ...(tabNow ? { tab: tabNow } : {}) });
  const years = yearsOf(substation, substations);
  const first = yearFor(substation, choices.defaultYear, choices);
  const name = substations.find(({ assetPointId }) => assetPointId === substation)?.assetPointName ?? '';
  return (
    <>
      <div className="selector health-selector">
        <label className="pick">
          <span>{t('assethealth.substation')}</span>
          <select
            value={substation ?? ''}
            // A single substation needs no selection.
            disabled={substations.length < 2}
            data-testid="health-substation"
            onChange={({ target }) => {
              const next = target.value ? Number(target.value) : null;
              put({ substation: next, year: yearFor(next, year, choices) });
            }}
          >
            <option value="">{t('assethealth.select')}</option>
            {substations.map(({ assetPointId, assetPointName }) => (
              <option key={assetPointId} value={assetPointId}>
                {assetPointName}
              </option>
            ))}
          </select>
        </label>
        <label className="pick">
          <span>{t('assethealth.year')}</span>
          <select value={year ?? ''} data-testid="health-year" onChange={({ target }) => put({ substation, year: target.value ? Number(target.value) : null })}>
            <option value="">{t('assethealth.select')}</option>
            {years.map((own) => (
              <option key={own} value={own}>
                {own}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="plain"
          data-tip={t('assethealth.resetYear', { year: first ?? '' })}
          aria-label={t('assethealth.resetYear', { year: first ?? '' })}
          data-testid="health-refresh"
          onClick={() => put({ substation, year: first })}
        >
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round">
            <path d="M16 10a6 6 0 1 1-2-4.5M14.5 2.5v3.2h-3.2" />
          </svg>
        </button>
      </div>
      {substation !== null && year !== null ? (
        <Health key={`${substation} ${year}`} {...props} substation={substation} year={year} name={name} tab={tab} onTab={(key) => put(chosen, key)} />
      ) : (
        <div className="notice" data-testid="health-unset">
          {substations.length === 0 ? t('assethealth.noSubstations') : t('app.pleaseSelectAppropriateOptionTo')}
        </div>
      )}
    </>
  );
}
