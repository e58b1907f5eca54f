// Permissible loading of a transformer: temperatures, its load, and what it could carry (specification 2, section 2.8).
import { useMemo, useState } from 'react';
import { Column } from '../../charts/Column';
import { useGroup } from '../../charts/group';
import { Panel } from '../../charts/Panel';
import { PRESETS } from '../../charts/range';
import { number } from '../../ui/format';
import { useNow } from './Charts';
import { loadingSource, LOOK, usedLife } from './permissible';
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

function Loadings({ token, assetId, assetName, now }: ProfileProps & { now: () => number }) {
  const { begins } = useGroup();
  const [life, setLife] = useState<number | null>(null);
  const source = useMemo(
    () =>
      loadingSource(token, assetId, now, (rows, months) => {
        setLife(usedLife(rows));
        // Only the answer that has everything tells where it begins.
        const first = months === 0 ? Math.min(...rows.map((row) => Date.parse(row.ReportedDateTime))) : NaN;
        if (Number.isFinite(first)) begins(first);
      }),
    [token, assetId, now, begins],
  );
  return <Panel title={t('profiles.permissibleLoading')} detail={t('profiles.usedLifeInYears', { years: number(life, 3) })} subject={assetName} source={source} look={LOOK} height={420} />;
}
