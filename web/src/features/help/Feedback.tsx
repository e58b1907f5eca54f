// Feedback to the operators of the portal, on all screens. The button appears shortly after signing in (specification 1, section 9).
import { useEffect, useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { toast } from '../../ui/toast';
import { post, problemOf } from '../../wire/rest';
import { t } from '../../words';

const DELAY_MS = 400;
const LENGTH_MAX = 2_000;

export function Feedback({ token }: { token: string }) {
  const [here, setHere] = useState(false);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHere(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!here) return null;
  return (
    <>
      <button type="button" className="plain" data-testid="feedback-open" onClick={() => setOpen(true)}>
        {t('help.feedback')}
      </button>
      {open && <Form token={token} onClose={() => setOpen(false)} />}
    </>
  );
}

function Form({ token, onClose }: { token: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await post(token, 'feedback', { text: text.trim(), page: (location.pathname + location.search).slice(0, 200) });
      toast(t('help.thankYouYourMessageHas'));
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={t('help.whatShouldWeKnow')} onClose={onClose}>
      <label className="field">
        {t('help.yourMessageTheScreenYou')}
        <textarea data-testid="feedback-text" rows={5} maxLength={LENGTH_MAX} data-first="" autoFocus value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('help.cancel')}
        </button>
        <button type="button" className="primary" data-testid="feedback-send" disabled={busy || text.trim() === ''} onClick={() => void send()}>
          {t('help.send')}
        </button>
      </div>
    </Dialog>
  );
}
