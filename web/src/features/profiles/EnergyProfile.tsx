// Energy Profile: accumulated energy, energy, import and export (specification 2, section 2.7). What a register counted in each interval, not
// its reading, whose changes cannot be seen.
import { Charts, type ChartsProps, type Plan } from './Charts';
import { t } from '../../words';
import './profiles.css';

const IMPORT = { label: t('profiles.imported'), colour: 0 } as const;
const EXPORT = { label: t('profiles.exported'), colour: 3, dash: [6, 4] } as const;

const PLANS: readonly Plan[] = [
  { name: 'accumulatedEnergy', title: t('profiles.accumulatedEnergy'), measure: 'accumulated', look: { kind: 'last' } },
  { name: 'energy', title: t('profiles.energy'), measure: 'energy', look: { fromZero: true, kind: 'sum' } },
  {
    name: 'activeEnergy',
    title: t('profiles.activeImportAndExport'),
    measure: 'energy',
    codes: ['EImp', 'EExp'],
    look: { fromZero: true, kind: 'sum', styles: { EImp: IMPORT, EExp: EXPORT } },
  },
  {
    name: 'reactiveEnergy',
    title: t('profiles.reactiveImportAndExport'),
    measure: 'reactive_energy',
    codes: ['RImp', 'RExp'],
    look: { fromZero: true, kind: 'sum', styles: { RImp: IMPORT, RExp: EXPORT } },
  },
];

export function EnergyProfile(props: ChartsProps) {
  return (
    <div className="profile">
      <Charts {...props} plans={PLANS} />
    </div>
  );
}
