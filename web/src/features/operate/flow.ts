// The steps of one operation on this screen, from the menu to the command (specification 2, section 4). Pure: inputs are events. The server
// keeps the states of the command itself.
import type { CommandRow } from '../../wire/control';
import type { BreakerStatus } from '../../wire/rest';

export type Mode = 'select' | 'direct';

export type Step =
  /** The status of the breaker is being fetched. */
  | { readonly at: 'asking' }
  /** The user enters credentials again. */
  | { readonly at: 'credentials'; readonly status: BreakerStatus; readonly problem: string; readonly busy: boolean }
  /** The device is being selected (select before operate). */
  | { readonly at: 'selecting'; readonly status: BreakerStatus }
  /** The confirmation 'Would you like to change?' */
  | { readonly at: 'confirm'; readonly status: BreakerStatus; readonly selected: CommandRow | null; readonly busy: boolean }
  /** The operation has ended. `words` is the message, `trouble` whether it is an error, `cancel` the id of a selection to cancel. */
  | { readonly at: 'closed'; readonly words: string; readonly trouble: boolean; readonly cancel: string | null };

export type Event =
  | { readonly kind: 'status'; readonly status: BreakerStatus }
  | { readonly kind: 'prove' }
  | { readonly kind: 'proved' }
  | { readonly kind: 'unproved'; readonly problem: string }
  | { readonly kind: 'selected'; readonly command: CommandRow }
  | { readonly kind: 'send' }
  | { readonly kind: 'sent' }
  /** A call failed or was refused, with the server's message. */
  | { readonly kind: 'failed'; readonly words: string }
  /** A fact of the confirmation has changed: position, quality, selection, link or session. */
  | { readonly kind: 'changed'; readonly words: string }
  | { readonly kind: 'cancel' };

export const START: Step = { at: 'asking' };

const closed = (words: string, trouble: boolean, cancel: string | null = null): Step => ({ at: 'closed', words, trouble, cancel });

export function next(mode: Mode, step: Step, event: Event): Step {
  if (step.at === 'closed') return step;
  // An unused selection is cancelled.
  const held = step.at === 'confirm' ? (step.selected?.commandId ?? null) : null;
  switch (event.kind) {
    case 'cancel':
      return step.at === 'confirm' && step.busy ? step : closed('', false, held);
    case 'changed':
      return step.at === 'confirm' && step.busy ? step : closed(event.words, true, held);
    case 'failed':
      return closed(event.words, true, step.at === 'confirm' && !step.busy ? held : null);
    case 'status':
      return step.at !== 'asking' ? step : proceed(mode, event.status, event.status.credentialsRequired);
    case 'prove':
      return step.at === 'credentials' ? { ...step, problem: '', busy: true } : step;
    case 'unproved':
      return step.at === 'credentials' ? { ...step, problem: event.problem, busy: false } : step;
    case 'proved':
      return step.at === 'credentials' ? proceed(mode, step.status, false) : step;
    case 'selected':
      return step.at === 'selecting' ? { at: 'confirm', status: step.status, selected: event.command, busy: false } : step;
    case 'send':
      // A second click has no effect, because the step is busy.
      return step.at === 'confirm' && !step.busy ? { ...step, busy: true } : step;
    case 'sent':
      return step.at === 'confirm' && step.busy ? closed('', false) : step;
  }
}

/** The next step after the status: credentials if required, then selection if required, then confirmation. */
function proceed(mode: Mode, status: BreakerStatus, mustProve: boolean): Step {
  if (!status.operable || status.changeDIStatus == null) return closed(status.refusals[0]?.message ?? status.displayMsg, true);
  if (mustProve) return { at: 'credentials', status, problem: '', busy: false };
  return mode === 'select' ? { at: 'selecting', status } : { at: 'confirm', status, selected: null, busy: false };
}
