// A request that waits for the answer of the own desk, over the footer of every screen, so that nothing moves when it comes or goes.
import { useLayoutEffect, useRef } from 'react';
import { useSending } from '../../ui/useSending';
import { t } from '../../words';

export type Answer = 'consent' | 'refuse';

interface Props {
  /** Start of the test ids. */
  readonly testId: string;
  readonly sentence: string;
  /** Until when it can be answered. */
  readonly until: string;
  /** Number of further requests, which are shown after this one. */
  readonly more: number;
  /** Text of the button that consents. */
  readonly accept: string;
  /** What is said after the consent. */
  readonly accepted: string;
  readonly send: (answer: Answer) => Promise<unknown>;
  /** Moves the focus, because the button that has it disappears. */
  readonly onFocusLost: () => void;
}

/** Give it a key of its request: an answer never goes to another request that has come to the same place, and the next request is announced. */
export function RequestBanner({ testId, sentence, until, more, accept, accepted, send: sendAnswer, onFocusLost }: Props) {
  const { problem, busy, send } = useSending(() => undefined);
  const box = useRef<HTMLElement>(null);
  const focusLost = useRef(onFocusLost);
  useLayoutEffect(() => void (focusLost.current = onFocusLost), [onFocusLost]);
  // It disappears after its answer, and also when it is withdrawn, answered by a colleague, or too old.
  useLayoutEffect(() => {
    const own = box.current;
    return () => {
      if (own?.contains(document.activeElement)) focusLost.current();
    };
  }, []);
  // A disabled button would lose the focus, and a failed answer is often sent again.
  const answer = (of: Answer) => !busy && void send(() => sendAnswer(of), of === 'consent' ? accepted : t('areas.refused'));
  return (
    <section ref={box} className="area-request" aria-label={t('areas.requestToYourDesk')} data-testid={testId}>
      <p role="alert">
        <b>{sentence}</b> <span className="quiet">{until}</span>
        {more > 0 && <span className="quiet"> {t('areas.moreRequests', { n: more })}</span>}
      </p>
      <span className="problem" role="alert">
        {problem}
      </span>
      <span className="answers">
        <button type="button" className="primary" aria-disabled={busy} data-testid={`${testId}-consent`} onClick={() => answer('consent')}>
          {accept}
        </button>
        <button type="button" aria-disabled={busy} data-testid={`${testId}-refuse`} onClick={() => answer('refuse')}>
          {t('areas.refuse')}
        </button>
      </span>
    </section>
  );
}
