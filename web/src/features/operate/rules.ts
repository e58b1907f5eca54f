// The items of the operation menu that can be selected, and the reasons for disabled ones (specification 2, section 5). The server checks them again. Pure.
import { Quality, looksLive } from '../../live/freshness';
import { isOpen, type CommandRow, type TagRow } from '../../wire/control';
import type { DiRow } from '../../wire/rest';
import { t } from '../../words';

/** Facts about the device that the menu uses. */
export interface Facts {
  readonly className: string;
  /** The device's digital input, if it has one. */
  readonly di: Pick<DiRow, 'ControlAssetReq' | 'IsSBOSupported'> | null;
  /** The code of its present position: OPEN, CLOSED, INTERMEDIATE, INVALID. */
  readonly status: string;
  readonly quality: number;
  readonly linkUp: boolean;
  /** Whether a complete snapshot has arrived since the link was last lost. */
  readonly ready: boolean;
  readonly canOperate: boolean;
  /** Why the own desk may not operate the device; empty if it may. */
  readonly outside: string;
  readonly tags: readonly TagRow[];
  readonly command: CommandRow | undefined;
  /** Seconds until the device may be operated again. */
  readonly restSeconds: number;
}

/** Why each item is disabled; empty if it can be selected. */
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

function refusal({ linkUp, ready, canOperate, outside, status, quality, tags, command, restSeconds }: Facts): string {
  if (!linkUp) return t('operate.theConnectionToTheServer2');
  if (!ready) return t('operate.thePictureIsNotComplete');
  if (!canOperate) return t('operate.youHaveNoRightTo');
  if (outside !== '') return outside;
  if (quality === Quality.never) return t('operate.itsPositionWasNeverReceived');
  if (!looksLive(quality)) return t('operate.itsPositionIsNotKnown');
  if (status === 'INVALID' || status === 'INTERMEDIATE') return t('operate.itsPositionIs', { tolowercase: status.toLowerCase() });
  const inhibit = tags.find(({ kind }) => kind === 'inhibit');
  if (inhibit) return t('operate.taggedBy', { holder: inhibit.holder, reason: inhibit.reason });
  if (command && isOpen(command)) return t('operate.isOperatingIt', { operator: command.operator });
  if (restSeconds > 0) return t('operate.itRests', { n: restSeconds });
  return '';
}
