// Moves the focus when a dialog has removed the row whose button has opened it, so that a keyboard user goes on at the same place of the page.
import { useEffect, useRef } from 'react';

/** Returns a function to call when the own user has removed a row. `focus` is called as soon as there are fewer rows. */
export function useFocusAfterRemoval(count: number, focus: () => void): () => void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    if (before.current === null || count >= before.current) return;
    before.current = null;
    focus();
  });
  return () => {
    before.current = count;
  };
}
