// The fields of a period and of a report's inputs, with their errors.
import { useId } from 'react';
import { DateField } from '../../ui/DateField';
import type { ReportInput } from '../../wire/reports';
import { choicesOf, faultOf, isoOf, partsOf, type Day, type Part, type Parts } from './period';
import { inputFault, NUMBER_MAX, valueOf, type Selection } from './rules';
import { t } from '../../words';

const PARTS: Readonly<Record<Part, string>> = {
  day: t('reports.day'),
  month: t('reports.month'),
  year: t('reports.year'),
  quarter: t('reports.quarter'),
  week: t('reports.week'),
  financialYear: t('reports.financialYear'),
  from: t('reports.from'),
  to: t('reports.to'),
  date: t('reports.date'),
};

interface PeriodProps {
  readonly frequency: number;
  readonly parts: Parts;
  readonly today: Day;
  readonly onChange: (part: Part, value: string) => void;
}

export function PeriodFields({ frequency, parts, today, onChange }: PeriodProps) {
  const id = useId();
  const fault = faultOf(frequency, parts);
  return partsOf(frequency)?.map((part) => {
    const listed = choicesOf(part, today, parts);
    const own = parts[part] ?? '';
    // A saved choice that is no longer in the list, such as an earlier year, remains selected.
    const choices = listed && own && !listed.some(([value]) => value === own) ? [...listed, [own, own] as const] : listed;
    const wrong = fault && 'wrong' in fault && fault.at === part ? fault.wrong : '';
    const props = {
      value: own,
      'data-testid': `part-${part}`,
      'aria-invalid': wrong !== '',
      'aria-describedby': wrong ? `${id}-${part}` : undefined,
      onChange: (event: { target: { value: string } }) => onChange(part, event.target.value),
    };
    return (
      <label className="field" key={part} data-narrow={choices !== null}>
        <span>{PARTS[part]}</span>
        {choices ? (
          <select {...props}>
            <option value="">{t('reports.select')}</option>
            {choices.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <DateField max={isoOf(today)} value={own} onChange={(value) => onChange(part, value)} isWrong={wrong !== ''} describedBy={wrong ? `${id}-${part}` : undefined} testId={`part-${part}`} />
        )}
        {wrong && (
          <small className="fault" id={`${id}-${part}`} role="alert">
            {wrong}
          </small>
        )}
      </label>
    );
  });
}

/** Labels of the specification's inputs. Other inputs are shown with the server's name. */
const INPUTS: Readonly<Record<string, string>> = {
  excludeMomentary: t('reports.excludeMomentary'),
  quantity: t('reports.quantity'),
  limit: t('reports.limit'),
  sampleMinutes: t('reports.sampleMinutes'),
};

/** What a switch changes. */
const MEANINGS: Readonly<Record<string, string>> = { excludeMomentary: t('reports.excludeMomentaryMeans') };

/** Labels of choices that are words. */
const CHOICES: Readonly<Record<string, string>> = { voltage: t('reports.voltage'), current: t('reports.current') };

interface InputProps {
  readonly inputs: readonly ReportInput[];
  readonly entered: Selection['inputs'];
  readonly onChange: (name: string, value: string | boolean) => void;
}

export function InputFields({ inputs, entered, onChange }: InputProps) {
  const id = useId();
  return inputs.map((input) => {
    const { name, kind, choices } = input;
    const label = INPUTS[name] ?? name;
    const value = valueOf(input, entered);
    const testId = `input-${name}`;
    if (kind === 'switch') {
      return (
        <label className="check" key={name}>
          <input
            type="checkbox"
            role="switch"
            data-testid={testId}
            checked={value === true}
            aria-describedby={MEANINGS[name] ? `${id}-${name}` : undefined}
            onChange={(event) => onChange(name, event.target.checked)}
          />{' '}
          {label}
          {MEANINGS[name] && (
            <small className="quiet" id={`${id}-${name}`}>
              {MEANINGS[name]}
            </small>
          )}
        </label>
      );
    }
    const fault = inputFault(input, entered);
    return (
      <label className="field" key={name} data-narrow="true">
        <span>{label}</span>
        {kind === 'choice' ? (
          <select data-testid={testId} value={String(value)} onChange={(event) => onChange(name, event.target.value)}>
            {input.default === null && <option value="">{t('reports.both')}</option>}
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {CHOICES[choice] ?? choice}
              </option>
            ))}
          </select>
        ) : (
          <input
            inputMode="numeric"
            data-testid={testId}
            value={String(value)}
            aria-invalid={fault !== ''}
            aria-describedby={fault ? `${id}-${name}` : undefined}
            maxLength={String(NUMBER_MAX).length}
            onChange={(event) => onChange(name, event.target.value)}
          />
        )}
        {fault && (
          <small className="fault" id={`${id}-${name}`} role="alert">
            {fault}
          </small>
        )}
      </label>
    );
  });
}
