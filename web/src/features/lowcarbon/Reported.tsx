// Yesterday's measured values, shown while there is no plan.
import { useMemo } from 'react';
import { bars } from '../../charts/bars';
import { pie } from '../../charts/pie';
import { Plot } from '../../charts/Plot';
import { number } from '../../ui/format';
import { Answered, useAsk } from '../../ui/useAsk';
import { getReported, type Historical } from '../../wire/lowcarbon';
import { dayWords, energyBars, powerLines, sharesPie } from './figures';
import { ENERGIES, KWH } from './SiteStats';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly device: number;
  readonly name: string;
  readonly zone: string;
  readonly pages: readonly string[];
}

export function Reported({ token, device, ...about }: Props) {
  const asked = useAsk(`reported-${device}`, async (asking) => ({ result: { said: await getReported(token, device, asking) } }));
  if (asked.data?.said === null) return null;
  return (
    <section className="reported" aria-label={t('lowcarbon.reportedYesterday')} data-testid="reported">
      <Answered asked={asked}>{({ said }) => (said?.day ? <Day {...about} historical={said.day} /> : <p className="hint">{t('lowcarbon.nothingReported')}</p>)}</Answered>
    </section>
  );
}

function Day({ name, zone, pages, historical }: Omit<Props, 'token' | 'device'> & { readonly historical: Historical }) {
  const { day, stats, coverage } = historical;
  const figures = useMemo(
    () => ({
      shares: pie(sharesPie(historical.shares, historical.stats.site)),
      energy: bars(energyBars(historical.results, null, false)),
      power: bars(powerLines(historical.results, null, false)),
    }),
    [historical],
  );
  const isSeen = (page: string) => pages.includes(page);
  const span = `${t('lowcarbon.reportedYesterday')}, ${dayWords(day)}`;
  const about = { subject: name, zone, span } as const;
  return (
    <>
      <h3>{span}</h3>
      {coverage !== null && coverage < 100 && <p className="hint">{t('lowcarbon.coverage', { percent: number(coverage, 0) })}</p>}
      {isSeen('lc.site-analytics') && (
        <div className="halves">
          <table className="site-stats" aria-label={t('lowcarbon.siteStats')} data-testid="reported-stats">
            <tbody>
              {ENERGIES.map(([key, words]) => (
                <tr key={key}>
                  <th scope="row">
                    {words} <small>{KWH}</small>
                  </th>
                  <td className="number">{number(stats[key], 2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Plot title={t('lowcarbon.consumptionPie')} detail={span} figure={figures.shares} height={230} {...about} />
        </div>
      )}
      {isSeen('lc.energy-consumption') && <Plot title={t('lowcarbon.energyHistorical')} detail={t('lowcarbon.belowIsAway')} figure={figures.energy} height={280} {...about} />}
      {isSeen('lc.power-flow') && <Plot title={t('lowcarbon.powerHistorical')} detail={t('lowcarbon.aboveIsIn')} figure={figures.power} height={280} {...about} />}
    </>
  );
}
