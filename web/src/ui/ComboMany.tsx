// A field that selects several options by typing (ARIA practices, combobox with a list). Enter or a click adds or removes one; the list stays open.
import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import type { Option } from './Combo';
import { t } from '../words';

interface Props {
  readonly label: string;
  readonly testId: string;
  readonly options: readonly Option[];
  readonly values: readonly number[];
  readonly disabled?: boolean;
  readonly onChoose: (ids: readonly number[]) => void;
}

const SHOWN_MAX = 100;

/** The text of the closed field. */
export function summary(options: readonly Option[], values: readonly number[]): string {
  const chosen = options.filter(({ id }) => values.includes(id));
  return chosen.length > 1 ? t('ui.chosenOf', { n: chosen.length, names: chosen.map(({ name }) => name).join(', ') }) : (chosen[0]?.name ?? '');
}

export function ComboMany({ label, testId, options, values, disabled, onChoose }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  // The first line selects all found options.
  const [at, setAt] = useState(0);
  const found = useMemo(() => {
    const words = (typed ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return options.filter(({ name, detail }) => words.every((word) => `${name} ${detail}`.toLowerCase().includes(word)));
  }, [options, typed]);
  const open = typed !== null;
  const own = new Set(values);
  const lines = found.length > 1 ? [null, ...found.slice(0, SHOWN_MAX)] : found;
  const hasAll = found.length > 0 && found.every((option) => own.has(option.id));
  const lineId = (option: Option | null) => `${id}-${option?.id ?? 'all'}`;
  const take = (option: Option | null | undefined) => {
    if (option === undefined) return;
    const ids = option ? [option.id] : found.map((one) => one.id);
    const isIn = option ? own.has(option.id) : hasAll;
    onChoose(isIn ? values.filter((value) => !ids.includes(value)) : [...values, ...ids.filter((value) => !own.has(value))]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) {
      event.stopPropagation();
      return setTyped(null);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      return open ? take(lines[at]) : setTyped('');
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (!open) return setTyped('');
    const to = Math.max(0, Math.min(lines.length - 1, at + step));
    setAt(to);
    const line = lines[to];
    if (line !== undefined) document.getElementById(lineId(line))?.scrollIntoView({ block: 'nearest' });
  };
  const text = summary(options, values);
  const current = lines[at];
  return (
    <div className="combo pick many">
      <span id={`${id}-label`}>{label}</span>
      <input
        role="combobox"
        aria-labelledby={`${id}-label`}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={open && current !== undefined ? lineId(current) : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        data-testid={testId}
        disabled={disabled}
        placeholder={disabled ? t('ui.loading') : t('ui.typeToFind')}
        data-tip={text}
        value={typed ?? text}
        onClick={() => setTyped((before) => before ?? '')}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setTyped(null)}
      />
      <ul id={`${id}-list`} role="listbox" aria-multiselectable="true" aria-labelledby={`${id}-label`} hidden={!open}>
        {open &&
          lines.map((option, index) => (
            // `mousedown` would move the focus and close the list before the click.
            <li key={lineId(option)} id={lineId(option)} role="option" data-at={index === at} aria-selected={option ? own.has(option.id) : hasAll} onMouseDown={(event) => event.preventDefault()} onClick={() => take(option)}>
              {option ? (
                <>
                  {option.name} <small>{option.detail}</small>
                </>
              ) : (
                t('ui.all', { n: found.length })
              )}
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
