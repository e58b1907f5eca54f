// Do-not-operate tags of a device: the list with users and reasons, placing a tag, and removing one's own.
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { eventTime } from '../../ui/format';
import type { TagRow } from '../../wire/control';
import { postCommand } from '../../wire/rest';
import { t } from '../../words';
import { FormFoot } from '../../ui/FormFoot';
import { useSending } from '../../ui/useSending';

interface Props {
  readonly token: string;
  /** The tagged asset; null for the whole substation. */
  readonly asset: number | null;
  readonly location: number;
  readonly name: string;
  readonly tags: readonly TagRow[];
  readonly zone: string;
  readonly onClose: () => void;
}

const EXPIRIES = [
  ['', t('operate.untilItIsTakenAway')],
  ['1', t('operate.forOneHour')],
  ['8', t('operate.forEightHours')],
  ['24', t('operate.forADay')],
  ['168', t('operate.forAWeek')],
] as const;

export function Tags({ token, asset, location, name, tags, zone, onClose }: Props) {
  const [kind, setKind] = useState<TagRow['kind']>('inhibit');
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState('');
  const { problem, busy, setProblem, send } = useSending(() => setReason(''));
  const place = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === '') return setProblem(t('operate.reasonShownToAllUsers'));
    // A duration is sent and not an end time, because the server's clock decides.
    const forMinutes = kind === 'inhibit' || hours === '' ? null : Number(hours) * 60;
    const place = asset === null ? { locationId: location } : { assetId: asset };
    void send(() => postCommand(token, 'tags', { ...place, kind, reason: reason.trim(), forMinutes }), t('operate.theTagIsOnThe'));
  };
  const [leaving, setLeaving] = useState<{ id: number; why: string } | null>(null);
  const take = (event: FormEvent) => {
    event.preventDefault();
    if (!leaving || leaving.why.trim() === '') return;
    const { id, why } = leaving;
    setLeaving(null);
    void send(() => postCommand(token, `tags/${id}/remove`, { reason: why.trim() }), t('operate.theTagIsGone'));
  };
  return (
    <Dialog title={t('operate.tagsOf', { name })} onClose={onClose}>
      {tags.length === 0 && <p>{t('operate.thereAreNone')}</p>}
      <ul className="tags">
        {tags.map((tag) => (
          <li key={tag.id} data-kind={tag.kind} data-testid="tag">
            <b>{tag.kind === 'inhibit' ? 'X' : 'C'}</b>
            <span>
              {tag.reason}
              {tag.scope !== 'device' && <em> {tag.scope === 'bay' ? t('operate.onBay', { name: tag.assetName }) : t('operate.onStation', { name: tag.assetName })}</em>}
              <small>
                {tag.holder}{t('operate.since2')} {eventTime(tag.placedAt, Date.now(), zone)}
                {tag.expiresAt ? t('operate.until', { zone: eventTime(tag.expiresAt, Date.now(), zone) }) : ''}
              </small>
            </span>
            <button type="button" className="plain" disabled={busy} onClick={() => setLeaving({ id: tag.id, why: '' })}>
              {t('operate.takeAway')}
            </button>
            {leaving?.id === tag.id && (
              <form className="pair" onSubmit={take}>
                <input data-testid="tag-why" aria-label={t('operate.takeAwayWhy')} placeholder={t('operate.takeAwayWhy')} data-first="" autoFocus required maxLength={200} value={leaving.why} onChange={(event) => setLeaving({ id: tag.id, why: event.target.value })} />
                <button type="submit" data-testid="tag-take">
                  {t('operate.takeAway')}
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      <form className="fields" onSubmit={place}>
        <label className="field">
          {t('operate.kind')}
          <select data-testid="tag-kind" value={kind} onChange={(event) => setKind(event.target.value === 'caution' ? 'caution' : 'inhibit')}>
            <option value="inhibit">{t('operate.inhibitBlocksAllOperations')}</option>
            <option value="caution">{t('operate.cautionShownBeforeOperation')}</option>
          </select>
        </label>
        <label className="field">
          {t('operate.reason')}
          <input data-testid="tag-reason" maxLength={200} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        {kind === 'inhibit' ? (
          <p>{t('operate.inhibitHasNoEnd')}</p>
        ) : (
          <label className="field">
            {t('operate.itHolds')}
            <select value={hours} onChange={(event) => setHours(event.target.value)}>
              {EXPIRIES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        )}
        <FormFoot problem={problem} busy={busy} back={t('operate.close')} onBack={onClose} submit={t('operate.place')} testId="tag-place" />
      </form>
    </Dialog>
  );
}
