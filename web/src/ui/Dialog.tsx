// A dialog over everything: the title is the question, Escape closes it, and the focus goes back to where it was.
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closed while it is still on the page: one that is taken off it gives the focus back to nobody.
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    // While the dialog was closed nothing in it could take the focus.
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
