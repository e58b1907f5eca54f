// What of the operation menu may be chosen, and why not (specification 2, section 5; the server checks all of it again). Pure.
import { Quality, looksLive } from '../../live/freshness';
import { isOpen, type CommandRow, type TagRow } from '../../wire/control';
import type { DiRow } from '../../wire/rest';
import { t } from '../../words';

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
  const of = (supported: number | undefined, words: string) => (facts.className !== 'breaker' || !facts.di ? t('operate.onlyBreakersWithAPosition') : supported === 0 ? words : common);
  return {
    select: of(facts.di?.IsSBOSupported, t('operate.thisBreakerHasNoSelect')),
    direct: of(facts.di?.ControlAssetReq, t('operate.thisBreakerIsNotOperated')),
  };
}

function refusal({ linkUp, ready, canOperate, status, quality, tags, command }: Facts): string {
  if (!linkUp) return t('operate.theConnectionToTheServer2');
  if (!ready) return t('operate.thePictureIsNotComplete');
  if (!canOperate) return t('operate.youHaveNoRightTo');
  if (quality === Quality.never) return t('operate.itsPositionWasNeverReceived');
  if (!looksLive(quality)) return t('operate.itsPositionIsNotKnown');
  if (status === 'INVALID' || status === 'INTERMEDIATE') return t('operate.itsPositionIs', { tolowercase: status.toLowerCase() });
  const inhibit = tags.find(({ kind }) => kind === 'inhibit');
  if (inhibit) return t('operate.taggedBy', { holder: inhibit.holder, reason: inhibit.reason });
  if (command && isOpen(command)) return t('operate.isOperatingIt', { operator: command.operator });
  return '';
}
