// Sends a request of a dialog: one at a time, with a message after it and the problem in the dialog.
import { useState } from 'react';
import { toast } from './toast';
import { problemOf } from '../wire/rest';

export function useSending(onDone: () => void) {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (call: () => Promise<unknown>, words: string) => {
    setBusy(true);
    setProblem('');
    try {
      await call();
      toast(words);
      onDone();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { problem, busy, setProblem, send };
}
