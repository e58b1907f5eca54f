// A row of tabs; the arrow keys move between them (ARIA practices, tabs).
import { useRef, type KeyboardEvent } from 'react';

interface Props {
  readonly label: string;
  readonly tabs: readonly (readonly [key: string, name: string])[];
  readonly current: string;
  readonly onChoose: (key: string) => void;
}

export function TabList({ label, tabs, current, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(([key]) => key === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next[0]);
    list.current?.querySelector<HTMLButtonElement>(`[data-testid="tab-${CSS.escape(next[0])}"]`)?.focus();
  };
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(([key, name]) => (
        <button key={key} type="button" role="tab" aria-selected={key === current} tabIndex={key === current ? 0 : -1} data-testid={`tab-${key}`} onClick={() => onChoose(key)}>
          {name}
        </button>
      ))}
    </div>
  );
}
