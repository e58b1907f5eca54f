// The way of one operation on this screen, from the choice in the menu to the order (specification 2, section 4). Pure: what happens outside is told as events.
// The life of the command itself belongs to the server.
import type { CommandRow } from '../../wire/control';
import type { BreakerStatus } from '../../wire/rest';

export type Mode = 'select' | 'direct';

export type Step =
  /** The breaker's status is being fetched. */
  | { readonly at: 'asking' }
  /** The person proves once more who they are. */
  | { readonly at: 'credentials'; readonly status: BreakerStatus; readonly problem: string; readonly busy: boolean }
  /** The device is being reserved (select before operate). */
  | { readonly at: 'selecting'; readonly status: BreakerStatus }
  /** 'Would you like to change?' */
  | { readonly at: 'confirm'; readonly status: BreakerStatus; readonly selected: CommandRow | null; readonly busy: boolean }
  /** Over; the words say why, if there is something to say, and whether it is trouble. */
  | { readonly at: 'closed'; readonly words: string; readonly trouble: boolean; readonly cancel: string | null };

export type Event =
  | { readonly kind: 'status'; readonly status: BreakerStatus }
  | { readonly kind: 'prove' }
  | { readonly kind: 'proved' }
  | { readonly kind: 'unproved'; readonly problem: string }
  | { readonly kind: 'selected'; readonly command: CommandRow }
  | { readonly kind: 'send' }
  | { readonly kind: 'sent' }
  /** A call failed or was refused; the server's words. */
  | { readonly kind: 'failed'; readonly words: string }
  /** What was shown is true no longer: position, quality, selection, link or session. */
  | { readonly kind: 'changed'; readonly words: string }
  | { readonly kind: 'cancel' };

export const START: Step = { at: 'asking' };

const closed = (words: string, trouble: boolean, cancel: string | null = null): Step => ({ at: 'closed', words, trouble, cancel });

export function next(mode: Mode, step: Step, event: Event): Step {
  if (step.at === 'closed') return step;
  // A selection that is left behind is given back.
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
      // Once: a second click finds it busy.
      return step.at === 'confirm' && !step.busy ? { ...step, busy: true } : step;
    case 'sent':
      return step.at === 'confirm' && step.busy ? closed('', false) : step;
  }
}

/** After the status: who must prove themselves does, then a selection is made if that is the way, then the question is put. */
function proceed(mode: Mode, status: BreakerStatus, mustProve: boolean): Step {
  if (!status.operable || status.changeDIStatus == null) return closed(status.refusals[0]?.message ?? status.displayMsg, true);
  if (mustProve) return { at: 'credentials', status, problem: '', busy: false };
  return mode === 'select' ? { at: 'selecting', status } : { at: 'confirm', status, selected: null, busy: false };
}
