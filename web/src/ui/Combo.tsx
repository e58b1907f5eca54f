// A field that finds an option by typing (ARIA practices, combobox with a list). A limited number is listed; typing more finds the rest.
import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { matches } from './matches';
import { t } from '../words';

export interface Option {
  readonly id: number;
  readonly name: string;
  readonly detail: string;
}

interface Props {
  readonly label: string;
  readonly testId: string;
  readonly options: readonly Option[];
  readonly value: number | null;
  readonly disabled?: boolean;
  readonly onChoose: (id: number) => void;
}

const SHOWN_MAX = 100;

export function Combo({ label, testId, options, value, disabled, onChoose }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const chosen = options.find((option) => option.id === value);
  // The best match is first, so that Enter selects it.
  const found = useMemo(() => matches(options, typed ?? '', options.length), [options, typed]);
  const shown = found.slice(0, SHOWN_MAX);
  const open = typed !== null;
  const choose = (option: Option | undefined) => {
    setTyped(null);
    if (option) onChoose(option.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) {
      event.stopPropagation();
      return setTyped(null);
    }
    if (event.key === 'Enter' && open) {
      event.preventDefault();
      return choose(shown[at]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (!open) {
      setAt(0);
      return setTyped('');
    }
    setAt(Math.max(0, Math.min(shown.length - 1, at + step)));
  };
  return (
    <div className="combo pick">
      <span id={`${id}-label`}>{label}</span>
      <input
        ref={field}
        role="combobox"
        aria-labelledby={`${id}-label`}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={open && shown[at] ? `${id}-${shown[at].id}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        data-testid={testId}
        disabled={disabled}
        placeholder={disabled ? t('ui.loading') : t('ui.typeToFind')}
        value={typed ?? chosen?.name ?? ''}
        onClick={() => {
          setTyped('');
          setAt(0);
        }}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setTyped(null)}
      />
      <ul id={`${id}-list`} role="listbox" aria-labelledby={`${id}-label`} hidden={!open}>
        {open &&
          shown.map((option, index) => (
            // `mousedown` would move the focus and close the list before the click.
            <li key={option.id} id={`${id}-${option.id}`} role="option" aria-selected={index === at} onMouseDown={(event) => event.preventDefault()} onClick={() => choose(option)}>
              {option.name} <small>{option.detail}</small>
            </li>
          ))}
        {open && found.length === 0 && (
          <li role="option" aria-selected={false} aria-disabled="true">
            {t('ui.nothingByThatName')}
          </li>
        )}
        {open && found.length > SHOWN_MAX && (
          <li role="option" aria-selected={false} aria-disabled="true">
            {t('ui.and')} {found.length - SHOWN_MAX} {t('ui.moreTypeOn')}
          </li>
        )}
      </ul>
    </div>
  );
}
