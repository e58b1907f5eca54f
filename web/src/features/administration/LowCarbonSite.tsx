// The form of a low-carbon site: its location, battery and panels, tariff, grid limits, and measuring points.
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { clockOfText, typedSlot, windowWords } from '../../ui/halfhours';
import { toast } from '../../ui/toast';
import { useAsk } from '../../ui/useAsk';
import { putSite, ROLES, type PointRole, type SiteConfiguration } from '../../wire/lowcarbon';
import { get, problemOf, type GenericRow, type LocationRow } from '../../wire/rest';
import { BLANK, draftOfSite, readSite, type SiteDraft, type SiteFaults, type TextKey } from './lowcarbon';
import { TariffBands } from './TariffBands';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly client: number;
  readonly zone: string;
  /** Null for a new site. */
  readonly configuration: SiteConfiguration | null;
  /** Device ids of existing sites. */
  readonly taken: readonly number[];
  readonly onClose: (saved: boolean) => void;
}

const BATTERY: readonly (readonly [TextKey, string])[] = [
  ['BatteryCapacityMaxKwh', `${t('lowcarbon.capacityMax')} (kWh)`],
  ['BatteryCapacityMinKwh', `${t('lowcarbon.capacityMin')} (kWh)`],
  ['BatteryChargeRateKw', `${t('lowcarbon.chargeRate')} (kW)`],
  ['BatteryDischargeRateKw', `${t('lowcarbon.dischargeRate')} (kW)`],
  ['chargeEfficiency', t('lowcarbonsites.chargeEfficiency')],
  ['dischargeEfficiency', t('lowcarbonsites.dischargeEfficiency')],
  ['initialEnergyKwh', t('lowcarbonsites.initialEnergy')],
];
const WINDOWS = [
  ['ChargingStartTimeHours', 'ChargingEndTimeHours', t('lowcarbon.chargingStart'), t('lowcarbon.chargingEnd')],
  ['DischargingStartTimeHours', 'DischargingEndTimeHours', t('lowcarbon.dischargingStart'), t('lowcarbon.dischargingEnd')],
] as const;
const POINTS: Readonly<Record<PointRole, string>> = {
  site: t('lowcarbonsites.pointSite'),
  solar: t('lowcarbonsites.pointSolar'),
  battery: t('lowcarbonsites.pointBattery'),
  grid: t('lowcarbonsites.pointGrid'),
  storage: t('lowcarbonsites.pointStorage'),
};

export function LowCarbonSite({ token, client, zone, configuration, taken, onClose }: Props) {
  const [draft, setDraft] = useState<SiteDraft>(() => (configuration ? draftOfSite(configuration) : BLANK));
  const [faults, setFaults] = useState<SiteFaults>({});
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const places = useAsk(`low-carbon-places-${client}`, (asking) => get<readonly LocationRow[]>(token, `substation/substationsbyclient/${client}`, asking));
  const { locationId, text } = draft;
  const points = useAsk(locationId === null ? null : `low-carbon-points-${locationId}`, (asking) => get<{ gdsData: readonly GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${locationId}`, asking));
  const name = configuration?.site.name ?? t('lowcarbonsites.newSite');
  const put = (part: Partial<SiteDraft>) => setDraft((before) => ({ ...before, ...part }));
  const write = (key: TextKey, value: string) => setDraft((before) => ({ ...before, text: { ...before.text, [key]: value } }));
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const read = readSite(draft);
    const found: SiteFaults = 'faults' in read ? read.faults : configuration === null && taken.includes(read.device) ? { deviceId: t('lowcarbonsites.deviceTaken') } : {};
    setFaults(found);
    const first = Object.keys(found)[0];
    if (first !== undefined || 'faults' in read) {
      setProblem(t('lowcarbonsites.somethingIsWrong'));
      return form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    }
    setBusy(true);
    setProblem('');
    try {
      await putSite(token, read.device, read.change, configuration === null);
      toast(t('lowcarbonsites.saved'));
      onClose(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const about = (key: string) => ({ name: key, 'data-testid': `low-carbon-${key}`, 'aria-invalid': Boolean(faults[key]) });
  const fault = (key: string) => faults[key] && <small className="fault">{faults[key]}</small>;
  const field = (key: TextKey, label: ReactNode, rest: { readonly readOnly?: boolean; readonly maxLength?: number; readonly isText?: boolean } = {}) => (
    <label key={key} className="field" data-tip={key in BLANK.text && /^[A-Z]/.test(key) ? key : undefined}>
      {label}
      <input {...about(key)} inputMode={rest.isText ? 'text' : 'decimal'} readOnly={rest.readOnly} maxLength={rest.maxLength ?? 30} autoComplete="off" value={text[key]} onChange={(event) => write(key, event.target.value)} />
      {fault(key)}
    </label>
  );
  const time = (key: (typeof WINDOWS)[number][0 | 1], label: string) => (
    <label key={key} className="field" data-tip={key}>
      {label}
      <span className="with-clock">
        <input {...about(key)} inputMode="numeric" autoComplete="off" maxLength={6} value={text[key]} onChange={(event) => write(key, typedSlot(text[key], event.target.value))} />
        <small className="clock-time">{clockOfText(text[key]) ?? ''}</small>
      </span>
      {fault(key)}
    </label>
  );
  // A selected point of another substation remains visible until the user selects a different one.
  const pointChoices = (role: PointRole) => {
    const rows = (points.data?.gdsData ?? []).filter(({ kind }) => kind === 'measurand').map(({ pointId, assetName, pointName, unit }) => ({ pointId, words: `${assetName}, ${pointName.split('/').pop()}${unit ? ` (${unit})` : ''}` }));
    const held = configuration?.points[role];
    return held && draft.points[role] === held.pointId && !rows.some(({ pointId }) => pointId === held.pointId) ? [{ pointId: held.pointId, words: held.name }, ...rows] : rows;
  };
  return (
    <form ref={form} className="rating-form low-carbon-form" noValidate aria-label={name} onSubmit={(event) => void send(event)}>
      <h2>{name}</h2>
      <fieldset>
        <legend>{t('lowcarbonsites.place')}</legend>
        {field('name', t('administration.name'), { maxLength: 200, isText: true })}
        {field('deviceId', t('lowcarbon.device'), { readOnly: configuration !== null })}
        <label className="field">
          {t('administration.location')}
          <select {...about('locationId')} value={locationId ?? ''} onChange={(event) => put({ locationId: Number(event.target.value) || null })}>
            <option value="">{places.problem || t('administration.choose')}</option>
            {configuration && !places.data?.some(({ AssetPointId }) => AssetPointId === configuration.site.locationId) && (
              <option value={configuration.site.locationId}>{configuration.site.locationName}</option>
            )}
            {(places.data ?? []).map(({ AssetPointId, AssetPointName }) => (
              <option key={AssetPointId} value={AssetPointId}>
                {AssetPointName}
              </option>
            ))}
          </select>
          {fault('locationId')}
        </label>
        {field('lat', t('lowcarbonsites.latitude'))}
        {field('lon', t('lowcarbonsites.longitude'))}
      </fieldset>
      <fieldset>
        <legend>{t('lowcarbon.battery')}</legend>
        {BATTERY.map(([key, label]) => field(key, label))}
        <label className="check">
          <input type="checkbox" data-testid="low-carbon-endsAsItBegan" checked={draft.endsAsItBegan} onChange={(event) => put({ endsAsItBegan: event.target.checked })} /> {t('lowcarbonsites.endsAsItBegan')}
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('lowcarbonsites.windows')}</legend>
        {WINDOWS.map(([start, end, from, to]) => [
          time(start, from),
          time(end, to),
          <p key={`${start} window`} className="hint">
            {windowWords(Number(text[start]), Number(text[end]))}
          </p>,
        ])}
      </fieldset>
      <fieldset>
        <legend>{t('lowcarbonsites.solar')}</legend>
        {field('SolarCapacityKwp', `${t('lowcarbon.solarCapacity')} (kWp)`)}
        {field('performanceFactor', t('lowcarbonsites.performanceFactor'))}
        <label className="field wide">
          {t('lowcarbonsites.solarProfile')}
          <textarea {...about('solarProfile')} rows={3} maxLength={2_000} value={text.solarProfile} onChange={(event) => write('solarProfile', event.target.value)} />
          {fault('solarProfile')}
        </label>
        <label className="field">
          {t('lowcarbon.objective')}
          <select {...about('Objective')} value={draft.objective} onChange={(event) => put({ objective: event.target.value === 'cost_without_solar' ? 'cost_without_solar' : 'cost_with_solar' })}>
            <option value="cost_with_solar">{t('lowcarbon.withSolar')}</option>
            <option value="cost_without_solar">{t('lowcarbon.withoutSolar')}</option>
          </select>
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('lowcarbonsites.gridAndTariff')}</legend>
        {field('importLimitKw', t('lowcarbonsites.importLimit'))}
        {field('currency', t('lowcarbonsites.currency'), { maxLength: 3, isText: true })}
        <label className="check">
          <input type="checkbox" data-testid="low-carbon-mayExport" checked={draft.mayExport} onChange={(event) => put({ mayExport: event.target.checked })} /> {t('lowcarbonsites.mayExport')}
        </label>
        <TariffBands name={name} bands={draft.bands} mayExport={draft.mayExport} currency={text.currency} zone={zone} faults={faults} onChange={(bands) => put({ bands })} />
      </fieldset>
      <fieldset>
        <legend>{t('lowcarbonsites.points')}</legend>
        {ROLES.map((role) => (
          <label key={role} className="field">
            {POINTS[role]}
            <select {...about(`point-${role}`)} disabled={locationId === null} value={draft.points[role] ?? ''} onChange={(event) => put({ points: { ...draft.points, [role]: Number(event.target.value) || null } })}>
              <option value="">{points.problem || t('lowcarbonsites.notMeasured')}</option>
              {pointChoices(role).map(({ pointId, words }) => (
                <option key={pointId} value={pointId}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        ))}
        <p className="hint wide">{t('lowcarbonsites.pointsAbout')}</p>
      </fieldset>
      <p className="problem" role="alert" data-testid="low-carbon-problem">
        {problem}
      </p>
      <div className="actions start">
        <button type="submit" className="primary" disabled={busy} data-testid="low-carbon-save">
          {busy && <span className="spinner" aria-hidden="true" />} {t('administration.save')}
        </button>
        <button type="button" onClick={() => onClose(false)}>
          {t('administration.cancel')}
        </button>
      </div>
    </form>
  );
}
