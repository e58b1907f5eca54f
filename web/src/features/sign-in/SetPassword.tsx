// Setting a new password by the link of a mail. The secret comes after the #, so that no server's log has it, and leaves the address at once.
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { problemOf, setPassword } from '../../session/reset';
import { toast } from '../../ui/toast';
import { Door, sentenceOf } from './Door';

export function SetPassword() {
  const [token] = useState(() => location.hash.slice(1));
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);

  const submit = async () => {
    const wrong = problemOf(first, second);
    setProblem(wrong ?? '');
    if (wrong) return;
    setBusy(true);
    try {
      toast(await setPassword(token, first));
      void navigate('/login', { replace: true });
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  };

  if (token === '') {
    return (
      <main className="sign-in">
        <div className="page">
          <h1>This link is not complete</h1>
          <p>Open the link of the mail once more, or copy all of it into the address line.</p>
          <Link to="/forgotpassword">Ask for a new link</Link>
        </div>
      </main>
    );
  }
  return (
    <Door
      heading="Set your password"
      sentence="15 characters or more: a sentence is easier to keep in mind than a riddle. You are then signed out everywhere and sign in with it."
      button="Set password"
      busy={busy}
      problem={problem}
      submit={() => void submit()}
      below={<Link to="/forgotpassword">Ask for a new link</Link>}
    >
      <label>
        New password *
        <input data-testid="password-first" type="password" autoComplete="new-password" autoFocus required value={first} onChange={(event) => setFirst(event.target.value)} />
      </label>
      <label>
        The same again *
        <input data-testid="password-second" type="password" autoComplete="new-password" required value={second} onChange={(event) => setSecond(event.target.value)} />
      </label>
    </Door>
  );
}
