// One operation, from the menu to the command: status, credentials if required, selection if required, confirmation.
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { looksLive, qualityWord } from '../../live/freshness';
import { useLink, useShownPoint } from '../../live/live';
import { CredentialsDialog } from '../../ui/CredentialsDialog';
import { Dialog } from '../../ui/Dialog';
import { notice } from '../../ui/notice';
import { toast } from '../../ui/toast';
import type { CommandRow, TagRow } from '../../wire/control';
import { Failure, isUncertain, problemOf } from '../../wire/rest';
import { Confirm } from './Confirm';
import { fetchStatus, order, prove, uuid } from './calls';
import { next, START, type Event, type Mode, type Step } from './flow';
import type { Target } from './target';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly username: string;
  readonly mode: Mode;
  readonly target: Target;
  readonly zone: string;
  /** The present tags of the device. */
  readonly tags: readonly TagRow[];
  /** The newest command of the device. */
  readonly command: CommandRow | undefined;
  /** Whether the device is still selected on the screen. */
  readonly isSelected: boolean;
  readonly onClose: () => void;
}

export function Operate({ token, username, mode, target, zone, tags, command, isSelected, onClose }: Props) {
  const [step, dispatch] = useReducer((before: Step, event: Event) => next(mode, before, event), START);
  const { di } = target;
  const link = useLink();
  const { point, quality } = useShownPoint(di.Asset2DiSettingId, target.ageLimitMs);
  const key = useRef(uuid());
  const [wantsCode, setWantsCode] = useState(false);
  const failed = useCallback((error: unknown) => dispatch({ kind: 'failed', words: error instanceof Failure && error.status === 0 ? t('operate.somethingWentWrong') : problemOf(error) }), []);

  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);

  // The status is fetched first (specification 2, section 4). A failure is shown as an alert.
  const wasFetched = useRef(false);
  useEffect(() => {
    if (wasFetched.current) return;
    wasFetched.current = true;
    fetchStatus(token, di).then((status) => dispatch({ kind: 'status', status }), failed);
  }, [token, di, failed]);

  const status = 'status' in step ? step.status : null;
  const selecting = step.at === 'selecting';
  useEffect(() => {
    if (!selecting || !status) return;
    order(token, 'select', status, uuid()).then((selected) => {
      // The user has closed the dialog, so the selection is cancelled.
      if (gone.current) void order(token, 'cancel', status, uuid(), selected.commandId).catch(() => undefined);
      else dispatch({ kind: 'selected', command: selected });
    }, (error: unknown) => {
      // The outcome is unknown, so any selection of this session is cancelled.
      if (isUncertain(error)) void order(token, 'cancel', status, uuid()).catch(() => undefined);
      failed(error);
    });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each selection
  }, [selecting]);

  // The operation ends if a fact of the confirmation changes before the command is sent.
  const held = step.at === 'confirm' && !step.busy ? step : null;
  const change = !status
    ? null
    : !isSelected
      ? t('operate.isNotSelectedAnyMore', { name: target.name })
    : !link.up
      ? t('operate.theConnectionToTheServer')
      : point && point.v !== status.currentDIStatus
        ? t('operate.hasChangedItsPositionMeanwhile', { name: target.name })
        : !looksLive(quality)
          ? t('operate.thePositionOfIsNothing', { name: target.name, quality: qualityWord(quality) })
          : tags.map(({ id }) => id).sort().join() !== status.tags.map(({ id }) => id).sort().join()
            ? t('operate.theTagsOfHaveChanged', { name: target.name })
            : held?.selected && command && command.commandId === held.selected.commandId && command.state !== 'SELECTED' && command.state !== 'SELECTING'
              ? t('operate.theSelectionHasEndedNothing', { tolowercase: command.message || command.state.toLowerCase() })
              : null;
  useEffect(() => {
    if (change) dispatch({ kind: 'changed', words: change });
  }, [change]);

  const closing = useRef(false);
  useEffect(() => {
    if (step.at !== 'closed' || closing.current) return;
    closing.current = true;
    if (step.words) {
      if (step.trouble) notice(step.words);
      else toast(step.words);
    }
    onClose();
  }, [step, status, onClose]);

  // A remaining selection is cancelled, however the dialog closes.
  const selection = useRef<{ status: NonNullable<typeof status>; id: string } | null>(null);
  useEffect(() => {
    if (step.at === 'confirm') selection.current = step.selected && !step.busy ? { status: step.status, id: step.selected.commandId } : null;
  }, [step]);
  useEffect(
    () => () => {
      const left = selection.current;
      if (left) void order(token, 'cancel', left.status, uuid(), left.id).catch(() => undefined);
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when the component is removed
    [],
  );

  const send = () => {
    if (step.at !== 'confirm' || step.busy) return;
    selection.current = null;
    dispatch({ kind: 'send' });
    order(token, mode === 'select' ? 'execute' : 'direct', step.status, key.current, step.selected?.commandId ?? null).then(
      () => dispatch({ kind: 'sent' }),
      (error: unknown) => {
        if (isUncertain(error)) notice(t('operate.orderMayHaveLeft', { name: target.name }));
        else toast(problemOf(error), 'error');
        onClose();
      },
    );
  };

  const cancel = () => dispatch({ kind: 'cancel' });
  switch (step.at) {
    case 'credentials':
      return (
        <CredentialsDialog
          username={username}
          operation={{ path: step.status.path, words: t('operate.changesFromTo', { name: step.status.assetName, from: step.status.currentDIText, to: step.status.changeDIText }) }}
          problem={step.problem}
          busy={step.busy}
          onCancel={cancel}
          wantsCode={wantsCode}
          onSubmit={(name, password, code) => {
            dispatch({ kind: 'prove' });
            prove(token, name, password, code, step.status).then(
              () => dispatch({ kind: 'proved' }),
              (error: unknown) => {
                if (error instanceof Failure && error.code.startsWith('second_factor')) setWantsCode(true);
                dispatch({ kind: 'unproved', problem: problemOf(error) });
              },
            );
          }}
        />
      );
    case 'confirm':
      return <Confirm token={token} mode={mode} status={step.status} target={target} selected={step.selected} busy={step.busy} zone={zone} quality={quality} onCancel={cancel} onSend={send} />;
    case 'asking':
    case 'selecting':
      return (
        <Dialog title={target.name} onClose={cancel}>
          <p role="status">
            <span className="spinner inline" aria-hidden="true" /> {step.at === 'asking' ? t('operate.askingForItsPosition') : t('operate.selectingItAtTheRtu')}
          </p>
          <div className="actions">
            <button type="button" data-first="" autoFocus onClick={cancel}>
              {t('operate.cancel')}
            </button>
          </div>
        </Dialog>
      );
    case 'closed':
      return null;
  }
}
