// The row of the utility's current totals below the map.
import type { Feed } from '../live/feed';
import { useLink } from '../live/live';
import { number } from '../ui/format';
import type { OverviewRow } from '../wire/monitoring';
import { useTotals } from './overview';
import { t } from '../words';

export function Figures({ feed }: { feed: Feed<OverviewRow> }) {
  const now = useTotals(feed);
  const link = useLink();
  const unknown = feed.state !== 'ready';
  const figures = [
    { key: 'customers', value: unknown ? '–' : number(now.customersWithoutSupply, 0), words: t('overview.customersWithoutSupply'), alarm: (now.customersWithoutSupply ?? 0) > 0 },
    { key: 'load', value: number(now.loadMw, 1), words: t('overview.mwLoadNow') },
    { key: 'rtu', value: unknown ? '–' : `${now.online} / ${now.substations}`, words: t('overview.substationsReporting'), alarm: now.online < now.substations },
    { key: 'hz', value: number(now.hz, 2), words: t('overview.hz') },
  ];
  return (
    <dl className="figures" data-live={link.up} data-testid="figures">
      {figures.map(({ key, value, words, alarm }) => (
        <div key={key} data-alarm={alarm}>
          <dd data-testid={`figure-${key}`}>{link.up ? value : `? ${value}`}</dd>
          <dt>{words}</dt>
        </div>
      ))}
    </dl>
  );
}
