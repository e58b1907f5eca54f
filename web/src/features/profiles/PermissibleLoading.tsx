// Permissible loading of a transformer: temperatures, present load, and permissible loads (specification 2, section 2.8).
import { useMemo, useState } from 'react';
import { Column } from '../../charts/Column';
import { useGroup } from '../../charts/group';
import { Panel } from '../../charts/Panel';
import { PRESETS } from '../../charts/range';
import { number } from '../../ui/format';
import { useNow } from './Charts';
import { loadingSource, LOOK, ordered, usedLife } from './permissible';
import type { ProfileProps } from './source';
import { t } from '../../words';
import './profiles.css';

export function PermissibleLoading(props: ProfileProps) {
  const now = useNow();
  return (
    <div className="profile">
      <Column key={props.assetId} zone={props.zone} presets={PRESETS} now={now}>
        <Loadings {...props} now={now} />
      </Column>
    </div>
  );
}

function Loadings({ token, zone, assetId, assetName, now }: ProfileProps & { now: () => number }) {
  const { begins } = useGroup();
  const [life, setLife] = useState<number | null>(null);
  const source = useMemo(
    () =>
      loadingSource({
        token,
        assetId,
        zone,
        now,
        told: (rows, months) => {
          setLife(usedLife(rows));
          // Only an answer with the whole history shows when the data start.
          const first = months === 0 ? ordered(rows).known[0]?.at : undefined;
          if (first !== undefined) begins(first);
        },
      }),
    [token, assetId, zone, now, begins],
  );
  return (
    <Panel
      title={t('profiles.permissibleLoading')}
      detail={t('profiles.usedLifeInYears', { years: number(life, 3) })}
      subject={assetName}
      source={source}
      look={LOOK}
      height={420}
    />
  );
}
