// A button that opens a menu, with arrow keys, typing of first letters and Escape (ARIA practices, menu button).
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

export interface Item {
  readonly name: string;
  readonly testId?: string;
  /** Why the item cannot be selected; empty or absent if it can. */
  readonly disabled?: string;
  readonly onChoose: () => void;
}

/** Room between a menu and the edge of the window. */
const MARGIN_PX = 8;

/** Moves a list that was opened at a point of the window so that all of it is visible. The reasons of its disabled items make it larger. */
function keepInside(list: HTMLElement): void {
  if (list.style.position !== 'fixed') return;
  const { left, top, right, bottom } = list.getBoundingClientRect();
  const [beyondRight, beyondBottom] = [right + MARGIN_PX - window.innerWidth, bottom + MARGIN_PX - window.innerHeight];
  if (beyondRight > 0) list.style.left = `${Math.max(0, left - beyondRight)}px`;
  if (beyondBottom > 0) list.style.top = `${Math.max(0, top - beyondBottom)}px`;
}

/** The list of a menu. Its first item has the focus when it opens. */
export function MenuList({ label, items, onClose, style }: { label: string; items: readonly Item[]; onClose: () => void; style?: React.CSSProperties }) {
  const list = useRef<HTMLUListElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  // The focus returns while the list is on the page, so that a dialog opened by an item can return it to the same element.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const own = list.current;
    if (own) keepInside(own);
    own?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const away = (event: Event) => event.target instanceof globalThis.Node && !own?.contains(event.target) && close.current();
    document.addEventListener('pointerdown', away, true);
    return () => {
      document.removeEventListener('pointerdown', away, true);
      if (before instanceof HTMLElement && own?.contains(document.activeElement)) before.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) buttons[(to + buttons.length) % buttons.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else if (event.key.length === 1 && event.key !== ' ') {
      const rest = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)];
      rest.find((button) => button.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ul ref={list} className="menu-list" role="menu" aria-label={label} onKeyDown={onKeyDown} style={style}>
      {items.map(({ name, testId, disabled, onChoose }) => (
        <li key={name} role="none">
          <button
            type="button"
            role="menuitem"
            data-testid={testId}
            aria-disabled={Boolean(disabled)}
            onClick={() => {
              if (disabled) return;
              onClose();
              onChoose();
            }}
          >
            {name}
            {disabled && <small>{disabled}</small>}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Menu({ label, testId, items, children }: { label: string; testId: string; items: readonly Item[]; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="menu">
      <button type="button" className="plain" data-testid={testId} aria-haspopup="menu" aria-expanded={open} aria-label={label} data-tip={label} onClick={() => setOpen(!open)}>
        {children}
      </button>
      {open && <MenuList label={label} items={items} onClose={() => setOpen(false)} />}
    </div>
  );
}
