// Requests a link for a new password (specification 1, sections 2 and 4). The answer is the same for known and unknown addresses.
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { askForLink } from '../../session/reset';
import { toast } from '../../ui/toast';
import { Door } from './Door';
import { t } from '../../words';

/** How long the message is shown before the sign-in page opens, ms (specification 1, section 9). */
const MESSAGE_MS = 2_000;

export function ForgotPassword() {
  const [email, setEmail] = useState('');
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState('');
  const navigate = useNavigate();

  const submit = async () => {
    setBusy(true);
    try {
      const said = await askForLink(email.trim());
      setMessage(said);
      toast(said);
      setTimeout(() => void navigate('/login'), MESSAGE_MS);
    } catch (error) {
      // The specification requires that a failure is only logged and ends the spinner.
      console.warn('the request for a new password failed', error);
      setBusy(false);
    }
  };

  return (
    <Door
      heading={t('signIn.forgotPassword')}
      sentence={message || t('signIn.enterTheEMailAddress')}
      button={t('signIn.submit')}
      busy={busy}
      problem=""
      submit={() => void submit()}
      below={<Link to="/">{t('signIn.back')}</Link>}
    >
      <label>
        {t('signIn.email')}
        <input data-testid="reset-email" type="email" autoComplete="email" autoFocus value={email} onChange={(event) => setEmail(event.target.value)} />
      </label>
    </Door>
  );
}
