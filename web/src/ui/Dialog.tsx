// A modal dialog. Escape closes it, and the focus returns to the element that had it before.
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { openDialogs } from './openDialogs';
import { SlowRequests } from './SlowRequests';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [own] = useState(() => Symbol('dialog'));
  // A layout effect closes the dialog while it is on the page. A removed dialog would not return the focus.
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    const end = openDialogs.begin(own);
    // Elements of a closed dialog cannot take the focus, so it is set after opening.
    shown?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      end();
      shown?.close();
    };
  }, [own]);
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
      <SlowRequests dialog={own} />
    </dialog>
  );
}
