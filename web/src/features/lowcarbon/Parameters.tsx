// The fields of the optimiser with units, half hours as clock times, and errors.
import { useId } from 'react';
import { clockOfText, windowWords } from '../../ui/halfhours';
import type { Field } from '../../wire/lowcarbon';
import { isTime, NAMES, OBJECTIVES, typed, UNITS, WINDOWS, type Draft, type Faults } from './form';
import { t } from '../../words';

interface Props {
  readonly draft: Draft;
  /** The site's configured values, which apply to empty fields. */
  readonly own: Draft;
  readonly faults: Faults;
  readonly onChange: (field: Field, text: string) => void;
}

const BATTERY = ['BatteryCapacityMaxKwh', 'BatteryCapacityMinKwh', 'BatteryChargeRateKw', 'BatteryDischargeRateKw'] as const;
const SOLAR = ['SolarCapacityKwp', 'lat', 'lon'] as const;
/** The device is selected above the form. */
const DEVICE = 'deviceId';
const WINDOW_NAMES = [t('lowcarbon.charging'), t('lowcarbon.discharging')];

export function ParameterFields({ draft, own, faults, onChange }: Props) {
  const field = (name: Field, label?: string) => <ParameterField key={name} name={name} label={label} text={draft[name]} own={own[name]} fault={faults[name]} onChange={onChange} />;
  return (
    <>
      <fieldset>
        <legend>{t('lowcarbon.battery')}</legend>
        {BATTERY.map((name) => field(name))}
      </fieldset>
      {WINDOWS.map(([start, end], index) => (
        <fieldset key={start}>
          <legend>{WINDOW_NAMES[index]}</legend>
          {field(start, t('lowcarbon.begins'))}
          {field(end, t('lowcarbon.ends'))}
          <p className="hint" data-testid={`window-${start}`}>
            {windowWords(Number(draft[start] || own[start]), Number(draft[end] || own[end]))}
          </p>
        </fieldset>
      ))}
      <fieldset>
        <legend>{t('lowcarbon.solarAndPlace')}</legend>
        {SOLAR.map((name) => field(name))}
        <p className="hint">{t('lowcarbon.placeNotSet')}</p>
      </fieldset>
      <fieldset>
        <legend>{t('lowcarbon.aim')}</legend>
        {field('Objective')}
        <label className="field" data-tip={DEVICE} data-wide="true">
          {NAMES[DEVICE]}
          <input name={DEVICE} data-testid={`field-${DEVICE}`} value={draft[DEVICE]} readOnly />
        </label>
      </fieldset>
    </>
  );
}

interface FieldProps {
  readonly name: Field;
  /** A shorter name, for a field below a heading. */
  readonly label?: string | undefined;
  readonly text: string;
  /** The value that applies if the field is empty. */
  readonly own: string;
  readonly fault?: string | undefined;
  /** Distinguishes the ids of fields in two forms on one page. */
  readonly form?: string;
  /** Whether the field has no visible label, because it is in a table with a heading. */
  readonly isBare?: boolean;
  readonly onChange: (field: Field, text: string) => void;
}

export function ParameterField({ name, label = NAMES[name], text, own, fault, form = 'field', isBare = false, onChange }: FieldProps) {
  const id = useId();
  const clock = isTime(name) ? clockOfText(text === '' ? own : text) : null;
  const about = {
    name,
    'data-testid': `${form}-${name}`,
    'aria-invalid': Boolean(fault),
    'aria-describedby': `${id}-more`,
    ...(isBare && { 'aria-label': t('lowcarbon.changedField', { name: NAMES[name] }) }),
  };
  const more = (
    <small id={`${id}-more`} className={fault ? 'fault' : 'clock-time'}>
      {fault ?? clock ?? ''}
    </small>
  );
  const input =
    name === 'Objective' ? (
      <select {...about} value={text} onChange={(event) => onChange(name, event.target.value)}>
        {isBare && <option value="">{t('lowcarbon.asPlanned')}</option>}
        {OBJECTIVES.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    ) : (
      <input
        {...about}
        inputMode={isTime(name) ? 'numeric' : 'decimal'}
        autoComplete="off"
        maxLength={40}
        value={text}
        placeholder={own}
        onChange={(event) => onChange(name, typed(name, text, event.target.value))}
      />
    );
  if (isBare)
    return (
      <span className="with-clock">
        {input}
        {more}
      </span>
    );
  return (
    <label className="field" data-tip={name} data-wide={name === 'Objective'}>
      <span>
        {label} <small>{UNITS[name] ?? ''}</small>
      </span>
      <span className="with-clock">
        {input}
        {more}
      </span>
    </label>
  );
}
