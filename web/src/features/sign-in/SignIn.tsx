// The sign-in form, in the specification's words (specification 1, sections 2, 4, 5 and 8).
import { useState, type FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { missingCredential, safeRedirect, session } from '../../session/session';
import { toast } from '../../ui/toast';

export function SignIn() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const [query] = useSearchParams();
  const navigate = useNavigate();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const missing = missingCredential(username, password);
    setProblem(missing ?? '');
    if (missing) return;
    setBusy(true);
    try {
      const login = await session.signIn(username, password);
      toast(login.roleId === 1 ? 'You are logged in as Super User' : 'Login Successful...!');
      void navigate(safeRedirect(query.get('redirect')), { replace: true });
    } catch (error) {
      const message = error instanceof Error ? error.message : 'Something went wrong...';
      setProblem(message);
      toast(message, 'error');
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form onSubmit={(event) => void submit(event)} noValidate>
        <h1>
          <img src="/mark.svg" alt="" width="22" height="22" /> Switchyard
        </h1>
        <p>Live diagrams, events and loads of the distribution network.</p>
        <label>
          User name *
          <input data-testid="login-username" autoComplete="username" autoFocus value={username} onChange={(event) => setUsername(event.target.value)} />
        </label>
        <label>
          Password *
          <input data-testid="login-password" type="password" autoComplete="current-password" value={password} onChange={(event) => setPassword(event.target.value)} />
        </label>
        <div className="problem" role="alert">
          {problem}
        </div>
        <button data-testid="login-submit" type="submit" disabled={busy}>
          {busy && <span className="spinner" aria-hidden="true" />} Log In
        </button>
      </form>
    </main>
  );
}
