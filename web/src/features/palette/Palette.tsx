// Search by name: Enter opens the selected entry (ARIA practices, combobox with a list, in a dialog).
import { useMemo, useState, type KeyboardEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { matches } from '../../ui/matches';
import { t } from '../../words';

export interface Entry {
  readonly key: string;
  readonly name: string;
  /** The location of the entry. */
  readonly detail: string;
  readonly kind: 'screen' | 'substation' | 'device';
  readonly path: string;
}

interface Props {
  /** Null while the entries are loading. */
  readonly entries: readonly Entry[] | null;
  readonly problem: string;
  readonly onGo: (path: string) => void;
  readonly onClose: () => void;
}

export function Palette({ entries, problem, onGo, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const found = useMemo(() => matches(entries ?? [], typed), [entries, typed]);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    onGo(entry.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((before) => Math.max(0, Math.min(found.length - 1, before + step)));
    else if (event.key === 'Enter') go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t('palette.goTo')} onClose={onClose}>
      <div className="palette">
        <input
          role="combobox"
          aria-label={t('palette.nameOfASubstationDevice')}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[at] ? `palette-${at}` : undefined}
          data-testid="palette-field"
          autoComplete="off"
          data-first="" autoFocus
          placeholder={t('palette.nameOfASubstationDevice')}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="palette-list" role="listbox" aria-label={t('palette.found')}>
          {found.map((entry, index) => (
            <li key={entry.key} id={`palette-${index}`} role="option" aria-selected={index === at} data-testid="palette-entry" onClick={() => go(entry)}>
              <span>{entry.name}</span> <small>{entry.detail}</small>
            </li>
          ))}
        </ul>
        <p role="status">{problem || (entries === null ? t('palette.loading') : found.length === 0 ? t('palette.nothingByThatName') : '')}</p>
      </div>
    </Dialog>
  );
}
