// The alarm line below the header of every screen: the most important unacknowledged alarm, the numbers of alarms, and the sound.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useAlarmsWorking, useLink, useServerSecond } from '../../live/live';
import type { Feed } from '../../live/feed';
import { useAll } from '../../live/useFeed';
import { eventTime } from '../../ui/format';
import { toast } from '../../ui/toast';
import type { AlarmRow } from '../../wire/monitoring';
import { problemOf } from '../../wire/rest';
import { acknowledge } from './calls';
import { Priority } from './Priority';
import { AlarmSound } from './sound';
import { FLOOD, isShelved, isUnacknowledged, occurrenceOf, raisedAt, standing, whatOf } from './standing';
import { t } from '../../words';

interface Props {
  readonly feed: Feed<AlarmRow>;
  readonly token: string;
  readonly zone: string;
  /** Whether the user may not acknowledge alarms. */
  readonly readOnly: boolean;
  /** Why the own desk may not act on an alarm; empty if it may. */
  readonly outside: (row: AlarmRow) => string;
  readonly onOpen: () => void;
  readonly onShow: (row: AlarmRow) => void;
}

/** How long an alarm must be shown in the line before it can be acknowledged there, ms. */
const READ_MS = 800;

export function AlarmBar({ feed, token, zone, readOnly, outside, onOpen, onShow }: Props) {
  const rows = useAll(feed);
  const link = useLink();
  const working = useAlarmsWorking();
  const second = useServerSecond() ?? Date.now();
  const now = useMemo(() => standing(rows, second), [rows, second]);
  const sound = useRef<AlarmSound | null>(null);
  sound.current ??= new AlarmSound();
  const [audible, setAudible] = useState(false);
  // The silenced occurrences of alarms. Another alarm, or a repetition of one of them, sounds again.
  const [silenced, setSilenced] = useState<ReadonlySet<string> | null>(null);
  const waiting = useMemo(() => rows.filter((row) => isUnacknowledged(row) && !isShelved(row, second)), [rows, second]);
  const isSilent = silenced !== null && waiting.every((row) => silenced.has(occurrenceOf(row)));
  useEffect(() => sound.current?.follow(!audible ? null : !working ? 1 : isSilent ? null : now.highest), [audible, working, isSilent, now.highest]);
  useEffect(() => () => sound.current?.disable(), []);
  const { first } = now;
  // A click that was meant for the previous alarm must not acknowledge the new one, so a new alarm cannot be acknowledged at first.
  const line = first ? occurrenceOf(first) : '';
  const [read, setRead] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRead(line), READ_MS);
    return () => clearTimeout(timer);
  }, [line]);
  const [busy, setBusy] = useState(false);
  const confirm = (row: AlarmRow) => {
    setBusy(true);
    acknowledge(token, [row])
      .catch((error: unknown) => toast(problemOf(error), 'error'))
      .finally(() => setBusy(false));
  };
  // Without the alarm service an empty line proves nothing: this is the loudest thing on the screen.
  const isDown = link.up && !working;
  const problem = feed.state === 'failed' ? feed.problem || t('alarms.notLive') : !link.up ? t('alarms.notLive') : working ? '' : t('alarms.notMade');
  return (
    <div className="alarm-bar" data-testid="alarm-bar" data-any={first !== null} data-live={link.up && working} data-down={isDown}>
      {problem && <em role="alert">{problem}</em>}
      {first ? (
        <>
          <Priority of={first.priority} />
          <b>{first.raised === null ? '–' : eventTime(raisedAt(first), second, zone)}</b>
          <button type="button" className="plain line" onClick={() => onShow(first)} data-testid="alarm-first">
            {whatOf(first)}
            {first.count > 1 && ` ${t('alarms.times', { n: first.count })}`}
          </button>
          {!readOnly && (
            <button type="button" className="acknowledge" disabled={busy || read !== line || outside(first) !== ''} data-tip={outside(first) || undefined} onClick={() => confirm(first)} data-testid="alarm-acknowledge">
              {t('alarms.acknowledge')}
            </button>
          )}
          {now.unacknowledged > 1 && <span className="quiet">{t('alarms.more', { n: now.unacknowledged - 1 })}</span>}
        </>
      ) : (
        <span className="quiet">{feed.state === 'ready' && link.up && working ? t('alarms.noActiveAlarms') : ''}</span>
      )}
      <span className="visually-hidden" role="status">
        {first && read === line ? `${t('alarms.alarm')} P${first.priority}: ${whatOf(first)}` : ''}
      </span>
      <span className="end">
        {now.recent > FLOOD && <em data-testid="alarm-flood">{t('alarms.flood', { count10: now.recent })}</em>}
        <button type="button" className="plain" onClick={onOpen} data-testid="alarm-list-open">
          <span className="visually-hidden">{t('alarms.alarms')}</span>
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
          <button type="button" className="plain" data-testid="sound-silence" onClick={() => setSilenced(new Set(waiting.map(occurrenceOf)))}>
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
