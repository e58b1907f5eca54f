// The common layout of the pages before a session: panel, heading, and a form with busy state and error.
import { useState, type FormEvent, type ReactNode } from 'react';
import { useBrand } from '../../session/brand';
import { Html } from '../../ui/Html';
import { background } from './backgrounds';

export interface Doorway {
  readonly heading: string;
  readonly sentence: string;
  readonly button: string;
  readonly busy: boolean;
  readonly problem: string;
  readonly submit: () => void;
  readonly children: ReactNode;
  readonly below?: ReactNode;
}

export function Door({ heading, sentence, button, busy, problem, submit, children, below }: Doorway) {
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) submit();
  };
  const [picture] = useState(background);
  const brand = useBrand();
  return (
    <main className="sign-in" data-variant={brand.loginVariant}>
      <img className="behind" src={picture} alt="" />
      <form onSubmit={onSubmit} noValidate>
        <h1>
          <img src={brand.logo || '/mark.svg'} alt="" height="22" /> {heading}
        </h1>
        <p>{sentence}</p>
        {children}
        <div className="problem" role="alert">
          {problem}
        </div>
        <button data-testid="login-submit" type="submit" disabled={busy}>
          {busy && <span className="spinner" aria-hidden="true" />} {button}
        </button>
        {below}
      </form>
      {brand.footerText && (
        <footer>
          <Html html={brand.footerText} />
        </footer>
      )}
    </main>
  );
}
