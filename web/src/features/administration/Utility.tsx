// Settings of the utility: names of its levels, time zone, switches, screen variants, symbols and legend.
import { useState, type FormEvent } from 'react';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { get, post, type UtilityConfiguration, problemOf } from '../../wire/rest';
import { t } from '../../words';

const LEVELS = ['circle', 'division', 'town', 'subdivision', 'section', 'substation', 'asset'] as const;
const FLAGS = [
  ['showRTUHealthTab', t('administration.rtuHealth')],
  ['showAssetTab', t('administration.asset')],
  ['showOutageTab', t('administration.communicationOutages')],
  ['showNetworkTab', t('administration.network')],
  ['showSubstationHealthTab', t('administration.substationHealth')],
  ['showPQData', t('administration.powerQuality')],
  ['showGDSData', t('administration.valuesFromGdsInsteadOf')],
  ['showTitle', t('administration.titleInTheTopBar')],
] as const;
const CHARTS = ['phasor', 'voltage', 'current', 'frequency', 'reactivePower', 'apparentPower', 'activePower', 'accumulatedEnergy', 'energy', 'activeEnergy', 'reactiveEnergy', 'permissibleLoading'] as const;

const REFRESH = [
  ['sldSeconds', t('administration.refreshOfTheDiagram')],
  ['analogLogSeconds', t('administration.refreshOfTheAnalogLog')],
] as const;
/** The intervals of the specification, s. */
const USUAL = { sldSeconds: 10, analogLogSeconds: 40 };

/** Splits a name such as `reactivePower` into words. */
const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export function Utility({ token }: { token: string }) {
  const asked = useAsk('configuration', (asking) => get<UtilityConfiguration>(token, 'admin/configuration', asking));
  return <Answered asked={asked}>{(configuration) => <Form token={token} configuration={configuration} />}</Answered>;
}

function Form({ token, configuration }: { token: string; configuration: UtilityConfiguration }) {
  const [now, setNow] = useState(configuration);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const put = (part: Partial<UtilityConfiguration>) => setNow((before) => ({ ...before, ...part }));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      const { result } = await post<UtilityConfiguration>(token, 'admin/configuration', now, 'PUT');
      setNow(result);
      toast(t('administration.changedItHoldsFromThe2'));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="fields columns" onSubmit={(event) => void save(event)}>
      <fieldset>
        <legend>{t('administration.theUtility')}</legend>
        <label className="field">
          {t('administration.name')}
          <input data-testid="utility-name" required maxLength={200} value={now.name} onChange={(event) => put({ name: event.target.value })} />
        </label>
        <label className="field">
          {t('administration.timeZoneIanaName')}
          <input data-testid="utility-zone" required list="zones" value={now.timeZone} onChange={(event) => put({ timeZone: event.target.value })} />
          <datalist id="zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </label>
        <label className="field">
          {t('administration.pageOfReports')}
          <input data-testid="utility-reports" type="url" maxLength={2000} value={now.reportsEmbedUrl ?? ''} onChange={(event) => put({ reportsEmbedUrl: event.target.value.trim() })} />
        </label>
        <label className="field">
          {t('administration.logoOfTheUtility')}
          <input data-testid="utility-logo" maxLength={200} value={now.logo ?? ''} onChange={(event) => put({ logo: event.target.value.trim() })} />
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('administration.demand')}</legend>
        <label className="field">
          {t('administration.demandIntegrationPeriod')}
          <select data-testid="utility-demand" value={now.demand?.integrationMinutes ?? 15} onChange={(event) => put({ demand: { integrationMinutes: Number(event.target.value) } })}>
            {[15, 30].map((minutes) => (
              <option key={minutes} value={minutes}>
                {t('administration.demandMinutes', { minutes })}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('administration.refreshIntervals')}</legend>
        {REFRESH.map(([key, name]) => (
          <label key={key} className="field">
            {name}
            <input data-testid={`utility-${key}`} type="number" required min={1} max={3600} value={now.refresh?.[key] ?? ''} onChange={(event) => put({ refresh: { ...(now.refresh ?? USUAL), [key]: Number(event.target.value) } })} />
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t('administration.whatTheLevelsAreCalled')}</legend>
        {LEVELS.map((level) => (
          <label key={level} className="field">
            {level}
            <input maxLength={60} value={now.labels[level]} onChange={(event) => put({ labels: { ...now.labels, [level]: event.target.value } })} />
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t('administration.shownToEverybodyUnlessA')}</legend>
        {FLAGS.map(([flag, name]) => (
          <label key={flag} className="check">
            <input type="checkbox" checked={now.flags[flag] ?? false} onChange={(event) => put({ flags: { ...now.flags, [flag]: event.target.checked } })} /> {name}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t('administration.screensAndSymbols')}</legend>
        <label className="field">
          {t('administration.monitoringDashboard')}
          <select value={now.dashboardVariant} onChange={(event) => put({ dashboardVariant: event.target.value === 'alternative' ? 'alternative' : 'standard' })}>
            <option value="standard">{t('administration.standard')}</option>
            <option value="alternative">{t('administration.alternative')}</option>
          </select>
        </label>
        <label className="field">
          {t('administration.assetScreen')}
          <select value={now.assetVariant} onChange={(event) => put({ assetVariant: event.target.value === 'alternative' ? 'alternative' : 'standard' })}>
            <option value="standard">{t('administration.standard')}</option>
            <option value="alternative">{t('administration.alternative')}</option>
          </select>
        </label>
        <label className="field">
          {t('administration.symbolsOnDiagrams')}
          <select value={now.symbolSet} onChange={(event) => put({ symbolSet: event.target.value === 'variant' ? 'variant' : 'ieee' })}>
            <option value="ieee">{t('administration.ieee315Style')}</option>
            <option value="variant">{t('administration.variant')}</option>
          </select>
        </label>
        <label className="field">
          {t('administration.apparentPowerIsLabelled')}
          <select value={now.apparentPowerLabels} onChange={(event) => put({ apparentPowerLabels: event.target.value === 'lineToLine' ? 'lineToLine' : 'phase' })}>
            <option value="phase">{t('administration.byPhase')}</option>
            <option value="lineToLine">{t('administration.lineToLine')}</option>
          </select>
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('administration.chartsThatAreNotShown')}</legend>
        {CHARTS.map((chart) => (
          <label key={chart} className="check">
            <input type="checkbox" checked={now.hiddenCharts.includes(chart)} onChange={(event) => put({ hiddenCharts: event.target.checked ? [...now.hiddenCharts, chart] : now.hiddenCharts.filter((held) => held !== chart) })} /> {words(chart)}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t('administration.legend')}</legend>
        {now.legend.map((entry, index) => (
          <div key={index} className="pair">
            <input type="color" aria-label={t('administration.colourOfEntry', { value: index + 1 })} value={entry.color} onChange={(event) => put({ legend: now.legend.map((held, at) => (at === index ? { ...held, color: event.target.value } : held)) })} />
            <input aria-label={t('administration.wordsOfEntry', { value: index + 1 })} required maxLength={60} value={entry.label} onChange={(event) => put({ legend: now.legend.map((held, at) => (at === index ? { ...held, label: event.target.value } : held)) })} />
            <button type="button" className="plain" aria-label={t('administration.removeEntry', { value: index + 1 })} onClick={() => put({ legend: now.legend.filter((_, at) => at !== index) })}>
              ✕
            </button>
          </div>
        ))}
        <button type="button" onClick={() => put({ legend: [...now.legend, { color: '#808890', label: '' }] })}>
          {t('administration.addAnEntry')}
        </button>
      </fieldset>
      <div>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="actions start">
          <button type="submit" className="primary" data-testid="utility-save" disabled={busy}>
            {busy && <span className="spinner" aria-hidden="true" />} {t('administration.save')}
          </button>
        </div>
      </div>
    </form>
  );
}
