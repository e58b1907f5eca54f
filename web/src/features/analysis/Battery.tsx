// Battery: the DC profile of a substation's battery (specification 3, section 2.1).
import { useMemo } from 'react';
import { Column } from '../../charts/Column';
import { useGroup } from '../../charts/group';
import { Panel } from '../../charts/Panel';
import type { Preset } from '../../charts/range';
import { Answered, useAsk } from '../../ui/useAsk';
import { get } from '../../wire/rest';
import { DC_LOOK, dcSource } from './battery';
import type { ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';

/** Time spans of specification 3, section 9, and two longer ones. */
const RANGES: readonly Preset[] = ['1d', '1w', '1m', '6m', '1y', 'all'];

interface Listed {
  readonly assetId: number;
  readonly assetName: string;
}

/** The asset type of batteries. */
const BATTERIES = 8;

export function Battery(props: ViewProps) {
  const { token, node } = props;
  const asked = useAsk(node.location === null ? null : `batteries-${node.location}`, (asking) =>
    get<readonly Listed[]>(token, `asset/assetsbysubstation/${node.location}/${BATTERIES}`, asking),
  );
  if (node.location === null) {
    return (
      <div className="notice" data-testid="choose-substation">
        <span>{t('app.pleaseSelectAppropriateOptionTo')}</span>
        <span>{t('analytics.batteryOfSubstation')}</span>
      </div>
    );
  }
  return (
    <div className="analysis">
      <Answered asked={asked}>
        {(batteries) =>
          batteries.length === 0 ? (
            <p className="quiet">{t('analytics.noBattery')}</p>
          ) : (
            <Column zone={props.zone} presets={RANGES} initial="1w" now={props.now}>
              {batteries.map((battery) => (
                <Profile key={battery.assetId} {...props} battery={battery} />
              ))}
            </Column>
          )
        }
      </Answered>
    </div>
  );
}

function Profile({ token, node, now, battery }: ViewProps & { readonly battery: Listed }) {
  const { begins } = useGroup();
  const source = useMemo(() => dcSource(token, battery.assetId, now, { onFirst: begins }), [token, battery.assetId, now, begins]);
  return (
    <Panel
      title={t('analytics.dcProfile')}
      detail={battery.assetName}
      subject={`${node.name}, ${battery.assetName}`}
      source={source}
      look={DC_LOOK}
      height={380}
      empty={t('charts.noDataFoundToDisplay')}
    />
  );
}
