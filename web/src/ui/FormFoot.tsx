// The foot of a form in a dialog: the error, a cancel button, and a submit button that shows progress.
import type { ReactNode } from 'react';

interface Props {
  readonly problem: string;
  readonly busy: boolean;
  readonly back: ReactNode;
  readonly onBack: () => void;
  readonly submit: ReactNode;
  readonly testId: string;
}

export function FormFoot({ problem, busy, back, onBack, submit, testId }: Props) {
  return (
    <>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions">
        <button type="button" onClick={onBack}>
          {back}
        </button>
        <button type="submit" className="primary" data-testid={testId} disabled={busy}>
          {busy && <span className="spinner" aria-hidden="true" />} {submit}
        </button>
      </div>
    </>
  );
}
