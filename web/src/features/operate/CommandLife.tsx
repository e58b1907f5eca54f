// The states of commands: those of the selected device's newest command, and a line for each open command of the substation. The server keeps them.
import { useSyncExternalStore } from 'react';
import { useServerSecond } from '../../live/live';
import type { Scene } from '../../live/scene';
import { eventTime } from '../../ui/format';
import { isOpen, type CommandRow, type CommandState } from '../../wire/control';
import { t } from '../../words';

const WORDS: Readonly<Record<CommandState, string>> = {
  REQUESTED: t('operate.askedFor'),
  SELECTING: t('operate.selecting'),
  SELECTED: t('operate.selected'),
  SENT: t('operate.sentToTheRtu'),
  ACCEPTED: t('operate.acceptedByTheRtu'),
  DONE: t('operate.confirmedByPosition'),
  NO_FEEDBACK: t('operate.noFeedbackLookAtThe'),
  REFUSED: t('operate.refused'),
  EXPIRED: t('operate.expired'),
  CANCELLED: t('operate.cancelled'),
  UNKNOWN: t('operate.outcomeUnknownCheckTheField'),
};

export function wordsOf(state: CommandState): string {
  return WORDS[state];
}

/** The colour class of a command's state. */
function tone(row: CommandRow): 'open' | 'good' | 'bad' | 'quiet' {
  if (isOpen(row)) return 'open';
  if (row.state === 'DONE') return 'good';
  return row.state === 'CANCELLED' || row.state === 'EXPIRED' ? 'quiet' : 'bad';
}

export function useScene(scene: Scene): number {
  return useSyncExternalStore(scene.subscribe, scene.snapshot);
}

export function CommandLife({ scene, point, zone }: { scene: Scene; point: number | null; zone: string }) {
  useScene(scene);
  const now = useServerSecond() ?? Date.now();
  const row = scene.command(point);
  if (!row) return null;
  const steps = scene.history(row.commandId);
  return (
    <>
      <h3>{t('operate.command')}</h3>
      <ol className="life" data-testid="command-life" data-state={row.state}>
        {steps.map((step) => (
          <li key={step.offset} data-tone={isOpen(step) ? 'good' : tone(step)}>
            <span>{wordsOf(step.state)}</span>
            <time>{eventTime(step.changedAt, now, zone)}</time>
          </li>
        ))}
        {isOpen(row) && (
          <li data-tone="open">
            <span>{row.state === 'SELECTED' ? t('operate.waitingForTheOrder') : t('operate.confirmedByPosition')}</span>
            <Left until={row.deadline ?? row.selectUntil ?? null} now={now} />
          </li>
        )}
      </ol>
      <p>
        {row.toDIText}, {row.mode === 'select' ? t('operate.selectBeforeOperate') : t('operate.directOperate')}{t('operate.by')} {row.operator}
        {row.message && `. ${row.message}`}
        {row.addCause != null && row.addCause > 0 && ` (${row.addCause} ${row.addCauseName ?? ''})`}
        {row.simulated && t('operate.simulatedField')}
      </p>
    </>
  );
}

function Left({ until, now }: { until: number | null; now: number }) {
  return <em>{until === null ? 'waiting' : t('operate.waitingSLeft', { value: Math.max(0, Math.ceil((until - now) / 1_000)) })}</em>;
}

/** How long an ended command is shown, ms. */
const TOLD_MS = 15_000;
/** Number of commands in the row. */
const LINES = 3;

export function CommandBar({ scene, onShow }: { scene: Scene; onShow: (point: number) => void }) {
  useScene(scene);
  const now = useServerSecond() ?? Date.now();
  const shown = scene.commands().filter((row) => isOpen(row) || (now - row.changedAt < TOLD_MS && row.state !== 'CANCELLED'));
  if (shown.length === 0) return null;
  return (
    <ul className="commands" aria-label={t('operate.commandsOnTheirWay')}>
      {shown.slice(0, LINES).map((row) => (
        <li key={row.commandId} data-tone={tone(row)} data-testid="command-line" data-state={row.state}>
          <button type="button" className="plain" onClick={() => onShow(row.pointId)}>
            <b>{row.assetName}</b> {t('operate.to')} {row.toDIText} {t('operate.by2')} {row.operator}: {wordsOf(row.state)}
            {isOpen(row) ? ' ' : row.message ? `. ${row.message}` : ''}
            {isOpen(row) && <Left until={row.deadline ?? row.selectUntil ?? null} now={now} />}
          </button>
        </li>
      ))}
      {shown.length > LINES && <li className="quiet">{t('operate.moreCommands', { n: shown.length - LINES })}</li>}
    </ul>
  );
}
