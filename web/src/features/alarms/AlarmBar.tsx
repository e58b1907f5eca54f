// The one line about alarms under the header of every screen: the highest that nobody has acknowledged, how many there are, and the sound.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLink, useServerSecond } from '../../live/live';
import type { Feed } from '../../live/feed';
import { useAll } from '../../live/useFeed';
import { clockTime } from '../../ui/format';
import { toast } from '../../ui/toast';
import type { AlarmRow } from '../../wire/monitoring';
import { problemOf } from '../../wire/rest';
import { acknowledge } from './calls';
import { Priority } from './Priority';
import { AlarmSound } from './sound';
import { FLOOD, raisedAt, standing, whatOf } from './standing';
import { t } from '../../words';

interface Props {
  readonly feed: Feed<AlarmRow>;
  readonly token: string;
  readonly zone: string;
  /** Why this person cannot acknowledge; empty when they can. */
  readonly readOnly: boolean;
  readonly onOpen: () => void;
  readonly onShow: (row: AlarmRow) => void;
}

export function AlarmBar({ feed, token, zone, readOnly, onOpen, onShow }: Props) {
  const rows = useAll(feed);
  const link = useLink();
  const second = useServerSecond() ?? 0;
  const now = useMemo(() => standing(rows, second), [rows, second]);
  const sound = useRef<AlarmSound | null>(null);
  sound.current ??= new AlarmSound();
  const [audible, setAudible] = useState(false);
  // Silent until another alarm comes.
  const [silenced, setSilenced] = useState<number | null>(null);
  const newest = rows.reduce((highest, { offset }) => Math.max(highest, offset), 0);
  const isSilent = silenced !== null && newest <= silenced;
  useEffect(() => sound.current?.follow(audible && !isSilent ? now.highest : null), [audible, isSilent, now.highest]);
  useEffect(() => () => sound.current?.disable(), []);
  const { first } = now;
  const confirm = (row: AlarmRow) => void acknowledge(token, [row]).catch((error: unknown) => toast(problemOf(error), 'error'));
  return (
    <div className="alarm-bar" data-testid="alarm-bar" data-any={first !== null} data-live={link.up}>
      {!link.up || feed.state === 'failed' ? (
        <span className="quiet">{feed.problem || t('alarms.notLive')}</span>
      ) : first ? (
        <>
          <Priority of={first.priority} />
          <b>{clockTime(raisedAt(first), zone)}</b>
          <button type="button" className="plain line" onClick={() => onShow(first)} data-testid="alarm-first">
            {whatOf(first)}
          </button>
          {!readOnly && (
            <button type="button" className="plain link" onClick={() => confirm(first)} data-testid="alarm-acknowledge">
              {t('alarms.acknowledge')}
            </button>
          )}
          {now.unacknowledged > 1 && <span className="quiet">{t('alarms.more', { n: now.unacknowledged - 1 })}</span>}
        </>
      ) : (
        <span className="quiet">{feed.state === 'loading' ? '' : t('alarms.noActiveAlarms')}</span>
      )}
      <span className="end">
        {now.recent > FLOOD && <em data-testid="alarm-flood">{t('alarms.flood', { count10: now.recent })}</em>}
        <button type="button" className="plain" onClick={onOpen} data-testid="alarm-list-open" aria-label={t('alarms.alarms')}>
          {now.active.map((count, index) => (
            <span key={index} data-priority={index + 1} data-none={count === 0}>
              P{index + 1} <b>{count}</b>
            </span>
          ))}
          <span data-none={now.shelved === 0}>
            {t('alarms.shelved')} <b>{now.shelved}</b>
          </span>
        </button>
        {!audible ? (
          <button type="button" className="plain" data-testid="sound-on" onClick={() => void sound.current?.enable().then(setAudible)}>
            {t('alarms.soundOn')}
          </button>
        ) : now.highest !== null && !isSilent ? (
          <button type="button" className="plain" data-testid="sound-silence" onClick={() => setSilenced(newest)}>
            {t('alarms.silence')}
          </button>
        ) : (
          <button
            type="button"
            className="plain"
            onClick={() => {
              sound.current?.disable();
              setAudible(false);
            }}
          >
            {now.highest === null ? t('alarms.soundOff') : t('alarms.silenced')}
          </button>
        )}
      </span>
    </div>
  );
}
