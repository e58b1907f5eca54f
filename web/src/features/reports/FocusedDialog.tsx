// A dialog that gives the focus back to what opened it: one that React takes away from the page gives it back to nobody by itself.
import { useEffect, useState, type ComponentProps } from 'react';
import { Dialog } from '../../ui/Dialog';

export function FocusedDialog(props: ComponentProps<typeof Dialog>) {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    },
    [opener],
  );
  return <Dialog {...props} />;
}
