// V-I Profile: phasors, readings, voltage, current and frequency of a feeder (specification 2, section 2.7).
import { Charts, type ChartsProps, type Plan } from './Charts';
import { LiveReadings } from './LiveReadings';
import { PhasorDiagram } from './PhasorDiagram';
import { t } from '../../words';
import './profiles.css';

const PLANS: readonly Plan[] = [
  {
    name: 'voltage',
    title: t('profiles.voltageProfile'),
    measure: 'voltage',
    detail: t('profiles.lineToNeutral'),
    sentence: t('charts.errorLoadingData'),
  },
  { name: 'current', title: t('profiles.currentProfile'), measure: 'current', look: { fromZero: true } },
  { name: 'frequency', title: t('profiles.frequencyProfile'), measure: 'frequency' },
];

export function VIProfile(props: ChartsProps) {
  const { token, zone, assetId, assetName, hidden = [] } = props;
  return (
    <div className="profile two">
      <div className="profile-side">
        {!hidden.includes('phasor') && <PhasorDiagram token={token} zone={zone} assetId={assetId} />}
        <LiveReadings key={assetId} token={token} zone={zone} assetId={assetId} assetName={assetName} />
      </div>
      <Charts {...props} plans={PLANS} />
    </div>
  );
}
