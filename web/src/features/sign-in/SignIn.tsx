// The sign-in form with the specification's texts (specification 1, sections 2, 4, 5 and 8).
import { useRef, useState } from 'react';
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { useBrand } from '../../session/brand';
import { missingCredential, safeRedirect, session } from '../../session/session';
import { useSession } from '../../session/useSession';
import { toast } from '../../ui/toast';
import { Failure, problemOf } from '../../wire/rest';
import { Door } from './Door';
import { chosenServer, chooseServer, heldServer, offeredServers } from './servers';
import { t } from '../../words';

/** Delay before the demo user sees the dashboard, ms (specification 1, section 4). */
const DEMO_MS = 1_000;

export function SignIn() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const [server, setServer] = useState<string | null>(null);
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const brand = useBrand();
  const hasServers = brand.servers.length > 0 && brand.loginVariant !== 'grey';
  const selected = server ?? chosenServer(brand.servers);
  const fields = { username: useRef<HTMLInputElement>(null), password: useRef<HTMLInputElement>(null) };

  const login = useSession();
  const { pathname } = useLocation();
  const [wasSignedIn] = useState(() => session.current() !== null);

  const submit = async () => {
    const missing = missingCredential(username, password);
    setProblem(missing ?? '');
    if (missing) return (username.trim() === '' ? fields.username : fields.password).current?.focus();
    setBusy(true);
    if (hasServers) chooseServer(selected);
    try {
      const login = await session.signIn(username, password, otp ?? '');
      toast(login.roleId === 1 ? t('signIn.youAreLoggedInAs') : t('signIn.loginSuccessful'));
      if (login.demo) setTimeout(() => void navigate('/dashboard?login=demo', { replace: true }), DEMO_MS);
      else void navigate(safeRedirect(query.get('redirect')), { replace: true });
    } catch (error) {
      // The password was correct, but a second factor is required.
      if (error instanceof Failure && error.code === 'second_factor_required') {
        setOtp('');
        setBusy(false);
        return;
      }
      setProblem(problemOf(error));
      toast(problemOf(error), 'error');
      setBusy(false);
    }
  };

  // The first page goes on with the session of the browser. The sign-in page does when another tab signs in; otherwise it is for signing in as another user.
  if (login && !busy && (pathname === '/' || !wasSignedIn)) return <Navigate to={safeRedirect(query.get('redirect'))} replace />;
  return (
    <Door
      heading={brand.title}
      sentence={t('signIn.liveDiagramsEventsAndLoads')}
      button={t('signIn.logIn')}
      busy={busy}
      problem={problem}
      submit={() => void submit()}
      below={<Link to="/forgotpassword">{t('signIn.forgotPassword2')}</Link>}
    >
      <label>
        {t('signIn.userName')}
        <input ref={fields.username} data-testid="login-username" autoComplete="username" autoFocus required value={username} onChange={(event) => setUsername(event.target.value)} />
      </label>
      <label>
        {t('signIn.password')}
        <input ref={fields.password} data-testid="login-password" type="password" autoComplete="current-password" required value={password} onChange={(event) => setPassword(event.target.value)} />
      </label>
      {otp !== null && (
        <label>
          {t('signIn.codeOfYourDevice')}
          <input data-testid="login-otp" autoComplete="one-time-code" autoFocus maxLength={40} value={otp} onChange={(event) => setOtp(event.target.value)} />
        </label>
      )}
      {hasServers && (
        <label>
          {t('signIn.server')}
          <select data-testid="login-server" value={selected} onChange={(event) => setServer(event.target.value)}>
            {offeredServers(brand.servers).map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {!hasServers && heldServer() !== '' && (
        <p data-testid="login-other-server">
          {t('signIn.otherServer', { key: heldServer() })}{' '}
          <button
            type="button"
            className="plain"
            onClick={() => {
              chooseServer('');
              location.reload();
            }}
          >
            {t('signIn.firstServer')}
          </button>
        </p>
      )}
    </Door>
  );
}
