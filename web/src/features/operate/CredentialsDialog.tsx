// The person proves once more who they are, right before an operation (specification 2, sections 4 and 5). The password leaves this dialog for the call alone.
import { useRef, useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';

interface Props {
  readonly username: string;
  readonly problem: string;
  readonly busy: boolean;
  readonly onCancel: () => void;
  readonly onSubmit: (username: string, password: string) => void;
}

export function CredentialsDialog({ username, problem, busy, onCancel, onSubmit }: Props) {
  const [name, setName] = useState(username);
  const password = useRef<HTMLInputElement>(null);
  const [missing, setMissing] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = password.current?.value ?? '';
    const first = name.trim() === '' ? 'Please enter username' : typed === '' ? 'Please enter password' : '';
    setMissing(first);
    if (first || busy) return;
    if (password.current) password.current.value = '';
    onSubmit(name, typed);
  };
  return (
    <Dialog title="Your user name and password, once more" onClose={onCancel}>
      <form className="fields" onSubmit={submit} noValidate>
        <label className="field">
          User name *
          <input data-testid="credentials-username" autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          Password *
          <input ref={password} data-testid="credentials-password" type="password" autoComplete="off" autoFocus />
        </label>
        <p className="problem" role="alert">
          {missing || problem}
        </p>
        <div className="actions">
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" className="primary" data-testid="credentials-submit" disabled={busy}>
            {busy && <span className="spinner" aria-hidden="true" />} Continue
          </button>
        </div>
      </form>
    </Dialog>
  );
}
