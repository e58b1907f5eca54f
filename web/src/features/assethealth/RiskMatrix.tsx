// The risk matrix, whose cells select their sections, and the health index by feeder (specification 3, section 2.3).
import { useMemo } from 'react';
import { bars, type BarSeries } from '../../charts/bars';
import { Plot } from '../../charts/Plot';
import { number } from '../../ui/format';
import type { CableHealth, Cell, MatrixRow } from '../../wire/cable-health';
import { CRITICALITIES, CRITICALITY_WORDS, HEALTH_BANDS, HEALTH_WORDS, moneyIn, NOT_MODELLED } from './sections';
import { cellKey, cellsOf, feedersOf, reasonsOf, type FeederBands, type Shown } from './shown';
import { t } from '../../words';

interface Props {
  readonly data: CableHealth;
  readonly shown: Shown;
  readonly subject: string;
  readonly span: string;
  readonly zone: string;
  readonly cell: Cell | null;
  /** Called with the selected cell; null selects the whole register. */
  readonly onCell: (cell: Cell | null) => void;
  readonly onUnmodelled: () => void;
}

export function RiskMatrix({ data, shown, subject, span, zone, cell, onCell, onUnmodelled }: Props) {
  const figure = useMemo(() => bars(feederBars(feedersOf(shown))), [shown]);
  return (
    <div className="analysis matrix-tab">
      <Matrix {...{ data, shown, cell, onCell, onUnmodelled }} />
      <Plot title={t('assethealth.byFeeder')} detail={t('assethealth.ofShown')} {...{ subject, span, figure, zone }} height={260} />
      <p className="quiet" data-testid="health-note">
        {t('assethealth.tenYears')}
      </p>
    </div>
  );
}

const rowOf = (rows: readonly MatrixRow[], ci: MatrixRow['CI']) => rows.find(({ CI }) => CI === ci);

function Matrix({ data, shown, cell, onCell, onUnmodelled }: Pick<Props, 'data' | 'shown' | 'cell' | 'onCell' | 'onUnmodelled'>) {
  const rows = data.criticalityIndexVsHealthIndex;
  const counts = useMemo(() => cellsOf(shown), [shown]);
  const reasons = useMemo(() => reasonsOf(data.cableSections), [data.cableSections]);
  const isPart = shown.rows.length < data.cableSections.length;
  const inCells = rows.reduce((sum, row) => sum + HEALTH_BANDS.reduce((before, hi) => before + row[hi], 0), 0);
  // Selecting a cell again selects everything.
  const toggle = (to: Cell) => onCell(cell?.ci === to.ci && cell.hi === to.hi ? null : to);
  const isChosen = (to: Cell) => cell?.ci === to.ci && cell.hi === to.hi;
  return (
    <section className="facts" aria-label={t('assethealth.matrix')}>
      <h3>
        {t('assethealth.matrix')} <small className="quiet">{[t('assethealth.matrixAbout'), data.bands && t('assethealth.bandsOf', { bands: data.bands })].filter(Boolean).join('; ')}</small>
      </h3>
      <div className="facts-scroll" tabIndex={0} role="region" aria-label={t('assethealth.matrix')}>
        <table className="matrix" data-testid="matrix">
          <thead>
            <tr>
              <th scope="col">{t('assethealth.ciByHi')}</th>
              {HEALTH_BANDS.map((hi, at) => (
                <th key={hi} scope="col" style={{ borderBottomColor: `var(--band-${at + 1})` }}>
                  <button type="button" aria-pressed={isChosen({ ci: null, hi })} data-tip={HEALTH_WORDS[hi]} onClick={() => toggle({ ci: null, hi })}>
                    {hi}
                  </button>
                  <small>{HEALTH_WORDS[hi]}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {CRITICALITIES.map((ci) => (
              <tr key={ci}>
                <th scope="row">
                  <button type="button" aria-pressed={isChosen({ ci, hi: null })} onClick={() => toggle({ ci, hi: null })}>
                    {ci}
                  </button>
                  <small>{CRITICALITY_WORDS[ci]}</small>
                </th>
                {HEALTH_BANDS.map((hi) => {
                  const row = rowOf(rows, ci);
                  const count = row?.[hi] ?? null;
                  const km = row?.[`${hi}Km`] ?? null;
                  const risk = row?.[`${hi}Risk`] ?? null;
                  const kmText = km === null ? '' : t('assethealth.km', { km: number(km, 2) });
                  const riskText = risk === null ? '' : t('assethealth.riskAYear', { risk: number(risk, 0), currency: moneyIn(data) });
                  return (
                    <td key={hi}>
                      <button
                        type="button"
                        className="cell"
                        aria-pressed={isChosen({ ci, hi })}
                        data-tip={riskText}
                        data-testid={`cell-${ci}-${hi}`}
                        data-none={!count}
                        onClick={() => toggle({ ci, hi })}
                      >
                        <span className="visually-hidden">{t('assethealth.cell', { ci, hi })}</span>
                        <b>{number(count, 0)}</b>{' '}
                        <small>{isPart ? t('assethealth.shownOfCell', { shown: counts.get(cellKey(ci, hi)) ?? 0 }) : kmText || '–'}</small>
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="quiet" data-testid="matrix-sum">
        {t('assethealth.matrixSum', { cells: inCells, none: data.notModelled, count: data.cableSections.length })}{' '}
        {data.notModelled > 0 && (
          <button type="button" className="plain link" onClick={onUnmodelled}>
            {t('assethealth.showUnmodelled')}
          </button>
        )}
      </p>
      <ul className="doubts">
        {reasons.map(({ text, count }) => (
          <li key={text}>{t('assethealth.reason', { text, n: count })}</li>
        ))}
      </ul>
    </section>
  );
}

function feederBars(feeders: readonly FeederBands[]) {
  const series: BarSeries[] = HEALTH_BANDS.map((hi, at) => ({
    name: `${hi} ${HEALTH_WORDS[hi]}`,
    unit: '',
    decimals: 0,
    stack: 'sections',
    colour: (['band1', 'band2', 'band3', 'band4', 'band5'] as const)[at] ?? 'quiet',
    values: feeders.map(({ bands }) => bands[hi]),
  }));
  const none: BarSeries = {
    name: NOT_MODELLED,
    unit: '',
    decimals: 0,
    stack: 'sections',
    colour: 'quiet',
    // Drawn hollow, because the health of these sections is unknown.
    isForecast: true,
    values: feeders.map(({ notModelled }) => notModelled),
  };
  return {
    head: t('assethealth.feeder'),
    categories: feeders.map(({ feeder }) => feeder),
    series: feeders.some(({ notModelled }) => notModelled > 0) ? [...series, none] : series,
    left: { name: t('assethealth.sections'), isWhole: true },
  };
}
