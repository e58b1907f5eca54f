// A field for a date or a local time in the format of the screens, DD MMM YYYY. The browser's own field would use the format of the computer.
// Its calendar is behind the button.
import { useRef, useState } from 'react';
import { parsed, written } from './dates';
import { t } from '../words';

interface Props {
  /** ISO 8601 without a zone: a date, or a date and a time. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hasTime?: boolean;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly required?: boolean;
  readonly className?: string;
  readonly label?: string;
  readonly describedBy?: string | undefined;
  readonly isWrong?: boolean;
  readonly testId: string;
}

export function DateField({ value, onChange, hasTime = false, min, max, required = false, className = '', label, describedBy, isWrong = false, testId }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const isOutside = (date: string) => (min !== undefined && date < min) || (max !== undefined && date > max);
  const wrongOf = (text: string) => {
    const date = parsed(text, hasTime);
    if (text.trim() === '') return '';
    if (date === null) return hasTime ? t('ui.timeAsIn') : t('ui.dateAsIn');
    return isOutside(date) ? t('ui.dateOutside', { from: written(min ?? '') || '–', to: written(max ?? '') || '–' }) : '';
  };
  const wrong = typed === null ? '' : wrongOf(typed);
  return (
    <span className={`date-field ${className}`}>
      <input
        type="text"
        inputMode="text"
        autoComplete="off"
        required={required}
        aria-label={label}
        aria-invalid={isWrong || wrong !== ''}
        aria-describedby={describedBy}
        placeholder={hasTime ? t('ui.timeFormat') : t('ui.dateFormat')}
        data-testid={testId}
        data-value={value}
        data-tip={wrong || undefined}
        value={typed ?? written(value)}
        onChange={(event) => {
          const text = event.target.value;
          const problem = wrongOf(text);
          setTyped(text);
          // A form with a wrong date is not sent, and says why.
          event.target.setCustomValidity(problem);
          const date = parsed(text, hasTime);
          if (text.trim() === '') onChange('');
          else if (date !== null && problem === '') onChange(date);
        }}
        onBlur={() => wrong === '' && setTyped(null)}
      />
      <button type="button" className="plain" aria-label={t('ui.openCalendar')} onClick={() => calendar.current?.showPicker()}>
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.4">
          <path d="M2 4h12v10H2zM2 7h12M5 2v3M11 2v3" />
        </svg>
      </button>
      <input
        ref={calendar}
        type={hasTime ? 'datetime-local' : 'date'}
        tabIndex={-1}
        aria-hidden="true"
        min={min}
        max={max}
        value={value}
        onChange={(event) => {
          setTyped(null);
          onChange(event.target.value);
        }}
      />
    </span>
  );
}
