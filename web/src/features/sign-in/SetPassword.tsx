// Sets a new password with the link of an e-mail. The secret follows the #, so that no server logs it, and is removed from the address immediately.
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { passwordProblem, setPassword } from '../../session/reset';
import { toast } from '../../ui/toast';
import { Door } from './Door';
import { t } from '../../words';
import { problemOf } from '../../wire/rest';

export function SetPassword() {
  const [token] = useState(() => location.hash.slice(1));
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);

  const submit = async () => {
    const wrong = passwordProblem(first, second);
    setProblem(wrong ?? '');
    if (wrong) return;
    setBusy(true);
    try {
      toast(await setPassword(token, first));
      void navigate('/login', { replace: true });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };

  if (token === '') {
    return (
      <main className="sign-in">
        <div className="page">
          <h1>{t('signIn.thisLinkIsNotComplete')}</h1>
          <p>{t('signIn.openTheLinkOfThe')}</p>
          <Link to="/forgotpassword">{t('signIn.askForANewLink')}</Link>
        </div>
      </main>
    );
  }
  return (
    <Door
      heading={t('signIn.setYourPassword')}
      sentence={t('signIn.n15CharactersOrMoreA')}
      button={t('signIn.setPassword')}
      busy={busy}
      problem={problem}
      submit={() => void submit()}
      below={<Link to="/forgotpassword">{t('signIn.askForANewLink')}</Link>}
    >
      <label>
        {t('signIn.newPassword')}
        <input data-testid="password-first" type="password" autoComplete="new-password" autoFocus required value={first} onChange={(event) => setFirst(event.target.value)} />
      </label>
      <label>
        {t('signIn.theSameAgain')}
        <input data-testid="password-second" type="password" autoComplete="new-password" required value={second} onChange={(event) => setSecond(event.target.value)} />
      </label>
    </Door>
  );
}
