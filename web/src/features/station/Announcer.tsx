// Announces changes of the selected device and of commands to screen readers: politely, and at most once in three seconds.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { usePoint } from '../../live/live';
import { statusWord } from '../../live/status';
import type { Scene } from '../../live/scene';
import type { GenericRow } from '../../wire/rest';
import type { Device } from './Detail';
import { t } from '../../words';

const EVERY_MS = 3_000;

export function Announcer({ scene, selected, rows }: { scene: Scene; selected: Device | null; rows: readonly GenericRow[] }) {
  useSyncExternalStore(scene.subscribe, scene.snapshot);
  const point = usePoint(selected?.pointId ?? -1);
  const encoding = rows.find((row) => row.pointId === selected?.pointId)?.encoding ?? 'double';
  const command = scene.commands()[0];
  const state = selected && point?.v != null ? t('station.is', { name: selected.name, status: statusWord(encoding, point.v).toLowerCase() }) : '';
  const progress = command ? `${command.assetName}, ${command.toDIText}: ${command.state.toLowerCase().replaceAll('_', ' ')}` : '';
  const [said, setSaid] = useState('');
  const due = useRef<{ words: string[]; last: number; timer?: ReturnType<typeof setTimeout> | undefined }>({ words: [], last: -EVERY_MS });
  const say = useRef((words: string) => {
    const held = due.current;
    if (!words) return;
    held.words.push(words);
    held.timer ??= setTimeout(
      () => {
        const more = held.words.length - 2;
        setSaid([...held.words.slice(-2), ...(more > 0 ? [t('station.more', { more })] : [])].join('. '));
        due.current = { words: [], last: performance.now() };
      },
      Math.max(0, held.last + EVERY_MS - performance.now()),
    );
  });
  useEffect(() => say.current(state), [state]);
  useEffect(() => say.current(progress), [progress]);
  useEffect(() => () => clearTimeout(due.current.timer), []);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" data-testid="announcer">
      {said}
    </div>
  );
}
