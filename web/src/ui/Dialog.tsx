// A modal dialog. Escape closes it, and the focus returns to the element that had it before.
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // A layout effect closes the dialog while it is on the page. A removed dialog would not return the focus.
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    // Elements of a closed dialog cannot take the focus, so it is set after opening.
    shown?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
