// The lists of a shift's handover: temporary changes, switches that are not in their normal position, and values that users have entered. That of the switches is
// read again when the live streams report a change.
import { useMemo, useRef, useState } from 'react';
import { useNavigate, useOutletContext } from 'react-router';
import { AbnormalTable, type Abnormal, type AbnormalSwitch } from '../features/network/AbnormalTable';
import { EnteredTable, type EnteredRow } from '../features/network/EnteredTable';
import { TemporaryTable } from '../features/network/TemporaryTable';
import { RemoveTemporary } from '../features/operate/TemporaryChanges';
import { WithdrawEntry } from '../features/operate/WithdrawEntry';
import { isSource } from '../ui/presence';
import { useAskRepeated } from '../ui/useAsk';
import { useFocusAfterRemoval } from '../ui/useFocusAfterRemoval';
import { get, type Asking } from '../wire/rest';
import { useEntries } from './entries';
import { feederPath } from './feeders';
import { useListProblem } from './marks';
import type { Given } from './Shell';
import { useTemporary, type TemporaryChange } from './temporary';
import { useOutside } from './useAreas';
import { useChanges } from './useChanges';
import { usePages } from './usePages';
import { t } from '../words';

/** Interval at which the list is read even if no change is reported, ms. It is needed because a position can become too old without an event. */
const EVERY_MS = 60_000;

/** The address of the diagram that shows a switch, with the switch selected. */
export function diagramOf({ equipment, feederId }: Pick<AbnormalSwitch, 'equipment' | 'feederId'>): string | null {
  if (feederId) return `${feederPath(feederId)}&device=${encodeURIComponent(equipment.id)}`;
  if (equipment.stationId == null) return null;
  const device = equipment.pointId != null ? `&point=${equipment.pointId}` : equipment.assetId != null ? `&asset=${equipment.assetId}` : '';
  return `/dashboard?location=${equipment.stationId}&tab=sld${device}`;
}

/** The jumpers, cuts and portable earths in place, with a dialog to remove one. */
function TemporarySection({ login, readOnly }: { readonly login: Given['login']; readonly readOnly: boolean }) {
  const answer = useTemporary(login.token, null);
  const { data, retry } = answer;
  const problem = useListProblem(answer);
  const [removed, setRemoved] = useState<TemporaryChange | null>(null);
  const pane = useRef<HTMLDivElement>(null);
  const expectRemoval = useFocusAfterRemoval(data?.length ?? 0, () => pane.current?.focus());
  const close = () => setRemoved(null);
  const done = () => {
    expectRemoval();
    close();
    retry();
  };
  return (
    <div ref={pane} className="pane" tabIndex={-1}>
      <TemporaryTable data={data} problem={problem} zone={login.timeZone} onRemove={login.canOperate && !readOnly ? setRemoved : null} />
      {removed && <RemoveTemporary token={login.token} id={removed.id} kind={removed.kind} place={removed.place} onClose={close} onDone={done} onUncertain={retry} />}
    </div>
  );
}

export function AbnormalScreen() {
  const { login, gateways } = useOutletContext<Given>();
  const navigate = useNavigate();
  const { tabs } = usePages();
  const readOnly = tabs?.find(({ key }) => key === 'dashboard.sld')?.readonly ?? true;
  const changes = useChanges(login, gateways);
  const ask = async (asking: Asking) => ({ result: { abnormal: (await get<Abnormal | null>(login.token, 'network/abnormal', asking)).result } });
  const { data, problem } = useAskRepeated(`abnormal-${login.clientId}`, ask, EVERY_MS, changes);
  const open = (row: AbnormalSwitch) => {
    const path = diagramOf(row);
    if (path !== null) void navigate(path);
  };
  const entries = useEntries(login.token);
  const observed = useMemo(() => new Map((entries.data ?? []).flatMap((entry) => (entry.counts && entry.position != null && entry.equipment && !isSource(entry.equipment) ? [[entry.equipment.id, entry.observed] as const] : []))), [entries.data]);
  const entriesProblem = useListProblem(entries);
  const [withdrawn, setWithdrawn] = useState<EnteredRow | null>(null);
  const entered = useRef<HTMLDivElement>(null);
  const expectRemoval = useFocusAfterRemoval(entries.data?.length ?? 0, () => entered.current?.focus());
  const outside = useOutside();
  const tipOf = ({ stationId, assetId }: EnteredRow) => {
    if (!login.canOperate || readOnly) return t('operate.noRightToConfirm');
    return stationId == null ? undefined : outside(stationId, assetId ?? null) || undefined;
  };
  const withdraw = (row: EnteredRow) => (
    <button type="button" data-testid="entered-withdraw" aria-label={t('app.withdrawEntryOf', { name: row.name })} disabled={tipOf(row) !== undefined} data-tip={tipOf(row)} onClick={() => setWithdrawn(row)}>
      {t('app.withdrawEntry')}
    </button>
  );
  return (
    <main className="main" aria-label={t('app.abnormalSwitching')}>
      <h1 className="visually-hidden">{t('app.abnormalSwitching')}</h1>
      <TemporarySection login={login} readOnly={readOnly} />
      <div className="pane">{data?.abnormal === null ? <div className="notice">{t('app.noNetworkYet')}</div> : <AbnormalTable data={data?.abnormal ?? null} observed={observed} problem={problem} zone={login.timeZone} onOpen={open} />}</div>
      <div ref={entered} className="pane" tabIndex={-1}>
        <EnteredTable data={entries.data} problem={entriesProblem} zone={login.timeZone} actions={withdraw} />
      </div>
      {withdrawn && (
        <WithdrawEntry
          token={login.token}
          name={withdrawn.name}
          id={withdrawn.id}
          onClose={() => setWithdrawn(null)}
          onDone={() => {
            expectRemoval();
            setWithdrawn(null);
            entries.retry();
          }}
        />
      )}
    </main>
  );
}
