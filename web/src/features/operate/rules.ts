// What of the operation menu may be chosen, and why not (specification 2, section 5; the server checks all of it again). Pure.
import { Quality, looksLive } from '../../live/freshness';
import { isOpen, type CommandRow, type TagRow } from '../../wire/control';
import type { DiRow } from '../../wire/rest';

/** The device as the menu sees it. */
export interface Facts {
  readonly className: string;
  /** Its digital input, if it has one. */
  readonly di: Pick<DiRow, 'ControlAssetReq' | 'IsSBOSupported'> | null;
  /** The status text of its position now: OPEN, CLOSED, INTERMEDIATE, INVALID. */
  readonly status: string;
  readonly quality: number;
  readonly linkUp: boolean;
  /** Whether a full picture has arrived since the link was last lost. */
  readonly ready: boolean;
  readonly canOperate: boolean;
  readonly tags: readonly TagRow[];
  readonly command: CommandRow | undefined;
}

/** Why it may not be chosen; empty when it may. */
export interface Choices {
  readonly select: string;
  readonly direct: string;
}

export function choices(facts: Facts): Choices {
  const common = refusal(facts);
  const of = (supported: number | undefined, words: string) => (facts.className !== 'breaker' || !facts.di ? 'Only breakers with a position are operated' : supported === 0 ? words : common);
  return {
    select: of(facts.di?.IsSBOSupported, 'This breaker has no select before operate'),
    direct: of(facts.di?.ControlAssetReq, 'This breaker is not operated directly'),
  };
}

function refusal({ linkUp, ready, canOperate, status, quality, tags, command }: Facts): string {
  if (!linkUp) return 'The connection to the server is lost';
  if (!ready) return 'The picture is not complete yet';
  if (!canOperate) return 'You have no right to operate here';
  if (quality === Quality.never) return 'Its position was never received';
  if (!looksLive(quality)) return 'Its position is not known to be live';
  if (status === 'INVALID' || status === 'INTERMEDIATE') return `Its position is ${status.toLowerCase()}`;
  const inhibit = tags.find(({ kind }) => kind === 'inhibit');
  if (inhibit) return `Tagged by ${inhibit.holder}: ${inhibit.reason}`;
  if (command && isOpen(command)) return `${command.operator} is operating it`;
  return '';
}
