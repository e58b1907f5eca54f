// The user enters credentials again before an operation (specification 2, sections 4 and 5). The dialog does not keep the password after the call.
import { useRef, useState, type FormEvent } from 'react';
import { Dialog } from './Dialog';
import { t } from '../words';
import { FormFoot } from './FormFoot';

interface Props {
  readonly username: string;
  /** The device and the direction for which the credentials are valid. */
  readonly operation: { readonly path: string; readonly words: string };
  readonly problem: string;
  readonly busy: boolean;
  readonly onCancel: () => void;
  /** Whether a code of the second factor is required as well. */
  readonly wantsCode: boolean;
  readonly onSubmit: (username: string, password: string, code: string) => void;
}

export function CredentialsDialog({ username, operation, problem, busy, wantsCode, onCancel, onSubmit }: Props) {
  const [name, setName] = useState(username);
  const password = useRef<HTMLInputElement>(null);
  const code = useRef<HTMLInputElement>(null);
  const [missing, setMissing] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = password.current?.value ?? '';
    const first = name.trim() === '' ? t('operate.pleaseEnterUsername') : typed === '' ? t('operate.pleaseEnterPassword') : '';
    setMissing(first);
    if (first || busy) return;
    const digits = code.current?.value ?? '';
    for (const field of [password.current, code.current]) if (field) field.value = '';
    onSubmit(name, typed, digits);
  };
  return (
    <Dialog title={t('operate.yourUserNameAndPassword')} onClose={onCancel}>
      <form className="fields" onSubmit={submit} noValidate>
        <p data-testid="credentials-operation">
          {t('operate.yourPasswordFor')} <b>{operation.words}</b>
          <br />
          <small>{operation.path}</small>
        </p>
        <label className="field">
          {t('operate.userName')}
          <input data-testid="credentials-username" autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          {t('operate.password')}
          <input ref={password} data-testid="credentials-password" type="password" autoComplete="off" data-first="" autoFocus />
        </label>
        {wantsCode && (
          <label className="field">
            {t('operate.codeOfYourDevice')}
            <input ref={code} data-testid="credentials-code" autoComplete="off" maxLength={40} />
          </label>
        )}
        <FormFoot problem={missing || problem} busy={busy} back={t('operate.cancel')} onBack={onCancel} submit={t('operate.continue')} testId="credentials-submit" />
      </form>
    </Dialog>
  );
}
