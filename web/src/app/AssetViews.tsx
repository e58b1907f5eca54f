// The views of one asset: readings, profiles and permissible loading. Their code is loaded on first use.
import { lazy, Suspense } from 'react';
import type { ClientConfiguration, Login } from '../wire/rest';
import { t } from '../words';

const VIProfile = lazy(() => import('../features/profiles/VIProfile').then(({ VIProfile }) => ({ default: VIProfile })));
const PowerProfile = lazy(() => import('../features/profiles/PowerProfile').then(({ PowerProfile }) => ({ default: PowerProfile })));
const EnergyProfile = lazy(() => import('../features/profiles/EnergyProfile').then(({ EnergyProfile }) => ({ default: EnergyProfile })));
const LiveReadings = lazy(() => import('../features/profiles/LiveReadings').then(({ LiveReadings }) => ({ default: LiveReadings })));
const PermissibleLoading = lazy(() => import('../features/profiles/PermissibleLoading').then(({ PermissibleLoading }) => ({ default: PermissibleLoading })));

export type AssetView = 'readings' | 'vi' | 'power' | 'energy' | 'loading';

/** The profiles of a feeder, in the order of their tabs. */
export const PROFILES = [
  ['vi', t('app.viProfile')],
  ['power', t('app.powerProfile')],
  ['energy', t('app.energyProfile')],
] as const;

interface Props {
  readonly login: Login;
  readonly view: AssetView;
  readonly asset: { readonly id: number; readonly name: string } | null;
  /** The utility's configuration; null until it is loaded. */
  readonly configuration: ClientConfiguration | null;
}

export function AssetViews({ login, view, asset, configuration }: Props) {
  if (!asset) return <div className="notice">{t('app.pleaseSelectAppropriateOptionTo')}</div>;
  const props = { token: login.token, zone: login.timeZone, assetId: asset.id, assetName: asset.name };
  const hidden = configuration?.hiddenCharts ?? [];
  return (
    <div className="asset-view">
      <Suspense fallback={<div className="notice">{t('app.loading')}</div>}>
        {view === 'readings' && <LiveReadings key={asset.id} {...props} />}
        {view === 'vi' && <VIProfile key={asset.id} {...props} hidden={hidden} />}
        {view === 'power' && <PowerProfile key={asset.id} {...props} hidden={hidden} lineToLine={configuration?.apparentPowerLabels === 'lineToLine'} />}
        {view === 'energy' && <EnergyProfile key={asset.id} {...props} hidden={hidden} />}
        {view === 'loading' && hidden.includes('permissibleLoading') && <div className="notice">{t('app.yourUtilityHidesThisChart')}</div>}
        {view === 'loading' && !hidden.includes('permissibleLoading') && <PermissibleLoading key={asset.id} {...props} />}
      </Suspense>
    </div>
  );
}
