// Power Profile: reactive, apparent and active power of a feeder (specification 2, section 2.7).
import { useMemo } from 'react';
import { Charts, type ChartsProps, type Plan } from './Charts';
import { t } from '../../words';
import './profiles.css';

/** Names of apparent power by pairs of phases, if the utility's configuration selects them. */
const BETWEEN = { Sr: { label: 'R-Y' }, Sy: { label: 'Y-B' }, Sb: { label: 'B-R' } } as const;

interface Props extends ChartsProps {
  /** Whether the utility's configuration names apparent power line to line. */
  readonly lineToLine: boolean;
}

export function PowerProfile({ lineToLine, ...props }: Props) {
  const plans = useMemo<readonly Plan[]>(
    () => [
      { name: 'reactivePower', title: t('profiles.reactivePower'), measure: 'reactive' },
      {
        name: 'apparentPower',
        title: t('profiles.apparentPower'),
        measure: 'apparent',
        detail: lineToLine ? t('profiles.lineToLine') : undefined,
        look: { fromZero: true, styles: lineToLine ? BETWEEN : {} },
      },
      { name: 'activePower', title: t('profiles.activePower'), measure: 'active', look: { fromZero: true } },
    ],
    [lineToLine],
  );
  return (
    <div className="profile">
      <Charts {...props} plans={plans} />
    </div>
  );
}
