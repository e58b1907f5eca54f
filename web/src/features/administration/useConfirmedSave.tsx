// A change that the administrator confirms with credentials before it is stored.
import { useState, type ReactNode } from 'react';
import { CredentialsDialog } from '../../ui/CredentialsDialog';
import { Failure, postCommand, problemOf } from '../../wire/rest';

interface Who {
  readonly token: string;
  readonly username: string;
  /** What the dialog says about the change: the utility, and what is changed. */
  readonly operation: { readonly path: string; readonly words: string };
}

interface ConfirmedSave {
  /** Opens the dialog. */
  readonly confirm: () => void;
  /** Why the change was not stored; empty if nothing is wrong. */
  readonly problem: string;
  readonly dialog: ReactNode;
}

/** Returns the dialog for the credentials. `save` is called after the server has accepted them. */
export function useConfirmedSave({ token, username, operation }: Who, save: () => Promise<void>): ConfirmedSave {
  const [confirming, setConfirming] = useState(false);
  const [problem, setProblem] = useState('');
  const [refused, setRefused] = useState('');
  const [busy, setBusy] = useState(false);
  const [wantsCode, setWantsCode] = useState(false);
  const submit = async (name: string, password: string, code: string) => {
    setBusy(true);
    setRefused('');
    try {
      await postCommand(token, 'sld/validatecredentialsfordocontrol', { Email: name, Password: password, ...(code && { otp: code }) });
    } catch (error) {
      if (error instanceof Failure && error.code.startsWith('second_factor')) setWantsCode(true);
      setRefused(problemOf(error));
      return setBusy(false);
    }
    try {
      await save();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setConfirming(false);
      setBusy(false);
    }
  };
  return {
    confirm: () => {
      setProblem('');
      setRefused('');
      setConfirming(true);
    },
    problem,
    dialog: confirming && (
      <CredentialsDialog
        username={username}
        operation={operation}
        problem={refused}
        busy={busy}
        wantsCode={wantsCode}
        onCancel={() => setConfirming(false)}
        onSubmit={(name, password, code) => void submit(name, password, code)}
      />
    ),
  };
}
