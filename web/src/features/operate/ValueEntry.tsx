// Entering a position or a measurement by hand for the selected device, and the values entered for it, each with a button to withdraw it.
import { useState, type FormEvent } from 'react';
import { instantOf, wallOf } from '../../charts/zone';
import { useServerSecond } from '../../live/live';
import { DateField } from '../../ui/DateField';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { ReasonField } from '../../ui/ReasonField';
import { eventTime, number, ownDecimals } from '../../ui/format';
import { quantityOf } from '../../ui/quantities';
import { useAsk } from '../../ui/useAsk';
import { useSending } from '../../ui/useSending';
import { get, postCommand, type Schemas } from '../../wire/rest';
import { t } from '../../words';
import { WithdrawEntry } from './WithdrawEntry';
import { isSource, positionText } from '../../ui/presence';

export type Entry = Schemas['ManualEntryRow'];
type Options = Schemas['ManualEntryOptions'];
type Measurement = Options['measurements'][number];

interface Device {
  readonly name: string;
  readonly equipment: string | null;
  readonly assetId: number | null;
}

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly device: Device | null;
  /** All current entries; null before the first answer. */
  readonly entries: readonly Entry[] | null;
  readonly mayEnter: boolean;
  /** Why the user must not operate the device, because another desk holds its area; empty if the user may. */
  readonly outside: string;
  readonly onChanged: () => void;
}

/** The entries for a device: measurements, and whether a source is present. The panel shows the position of a switch. */
export function entriesOf(device: Device, entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ equipment, assetId, quantity }) => (quantity !== 'Pos' || isSource(equipment)) && (device.equipment !== null && equipment ? equipment.id === device.equipment : assetId != null && assetId === device.assetId));
}

/** An entered value with its unit. */
export function entryText({ position, value, unit, phases, equipment }: Pick<Entry, 'position' | 'value' | 'unit' | 'phases' | 'equipment'>): string {
  if (position != null) {
    const text = positionText(position, equipment);
    return phases ? t('operate.inPhases', { position: text, phases }) : text;
  }
  return [value == null ? '–' : ownDecimals(value), unit].filter(Boolean).join(' ');
}

export function ValueEntry({ token, zone, device, entries, mayEnter, outside, onChanged }: Props) {
  const [isEntering, setEntering] = useState(false);
  const [withdrawn, setWithdrawn] = useState<Entry | null>(null);
  const now = useServerSecond() ?? Date.now();
  if (!device || (device.equipment === null && device.assetId === null)) return null;
  const own = entriesOf(device, entries ?? []);
  const tip = (mayEnter ? outside : t('operate.noRightToConfirm')) || undefined;
  const done = () => {
    setEntering(false);
    setWithdrawn(null);
    onChanged();
  };
  return (
    <>
      <div className="device-actions">
        <button type="button" data-testid="action-enter-value" disabled={tip !== undefined} data-tip={tip} onClick={() => setEntering(true)}>
          {t('operate.enterValue')}
        </button>
      </div>
      {own.length > 0 && (
        <>
          <h3>{t('operate.enteredValues')}</h3>
          <ul className="entered" data-testid="entered-here">
            {own.map((entry) => (
              <li key={entry.id} data-dim={!entry.counts}>
                {isSource(entry.equipment) && entry.quantity === 'Pos' ? t('operate.presence') : (quantityOf(entry.quantity)?.name ?? entry.quantity)}: S {entryText(entry)}
                <p>{t('operate.enteredBy', { by: entry.by, at: eventTime(Date.parse(entry.observed), now, zone), reason: entry.reason })}</p>
                {!entry.counts && <p>{entry.problem ?? t('operate.reportCounts')}</p>}
                {entry.counts && entry.reportedValue != null && <p>{t('operate.telemetryReports', { value: entryText({ ...entry, value: entry.reportedValue }) })}</p>}
                <button type="button" data-testid="action-withdraw-value" disabled={tip !== undefined} data-tip={tip} onClick={() => setWithdrawn(entry)}>
                  {t('operate.withdrawValue')}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {isEntering && <EnterValue {...{ token, zone, device }} onClose={() => setEntering(false)} onDone={done} />}
      {withdrawn && <WithdrawEntry token={token} name={device.name} id={withdrawn.id} onClose={() => setWithdrawn(null)} onDone={done} />}
    </>
  );
}

interface DialogProps {
  readonly token: string;
  readonly zone: string;
  readonly device: Device;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function EnterValue(props: DialogProps) {
  const { token, device, onClose } = props;
  const of = device.equipment !== null ? `equipment=${encodeURIComponent(device.equipment)}` : `asset=${device.assetId}`;
  const { data, problem, retry } = useAsk(`entry-options-${of}`, (asking) => get<Options>(token, `network/entries/options?${of}`, asking));
  return (
    <Dialog title={t('operate.enterValueOf', { name: device.name })} onClose={onClose}>
      {data && <Form {...props} options={data} />}
      {!data && <p role={problem ? 'alert' : 'status'}>{problem || t('station.loading')}</p>}
      {!data && problem && (
        <div className="actions">
          <button type="button" onClick={onClose}>
            {t('operate.cancel')}
          </button>
          <button type="button" className="primary" onClick={retry}>
            {t('ui.tryAgain')}
          </button>
        </div>
      )}
    </Dialog>
  );
}

/** What is sent, or why nothing is. */
export interface Draft {
  readonly what: string;
  readonly position: 'open' | 'closed' | null;
  readonly phases: readonly string[];
  readonly value: string;
  readonly reason: string;
  readonly isLasting: boolean;
}

/** The body of the request; a text if something is missing. The server checks the value. */
export function requestOf(draft: Draft, options: Options, equipment: string | null, observed: string): object | string {
  const { what, position, phases, value, reason, isLasting } = draft;
  const common = { reason: reason.trim(), observed, rule: isLasting ? 'untilWithdrawn' : 'untilReported' };
  if (what === 'Pos') {
    if (position === null) return isSource(options.equipment) ? t('operate.choosePresence') : t('operate.choosePosition');
    if (common.reason === '') return t('operate.reasonIsNeeded');
    const at = options.position?.pointId != null ? { pointId: options.position.pointId } : { equipment: options.equipment?.id ?? equipment };
    const some = phases.length > 0 && phases.length < (options.position?.phases.length ?? 0) ? { phases: phases.join('') } : {};
    return { ...at, ...some, position, ...common };
  }
  const measured = options.measurements.find((one) => keyOf(one) === what);
  const figure = Number(value.replace(',', '.'));
  if (!measured) return t('operate.chooseValue');
  if (value.trim() === '' || !Number.isFinite(figure)) return t('operate.giveNumber');
  if (common.reason === '') return t('operate.reasonIsNeeded');
  const at = measured.pointId != null ? { pointId: measured.pointId } : { equipment: options.equipment?.id ?? equipment, quantity: measured.quantity };
  return { ...at, value: figure, unit: measured.unit, ...common };
}

const keyOf = ({ quantity, pointId }: Measurement) => `${quantity} ${pointId ?? ''}`;
const localNow = (zone: string) => new Date(wallOf(Date.now(), zone)).toISOString().slice(0, 16);

function Form({ token, zone, device, options, onClose, onDone }: DialogProps & { readonly options: Options }) {
  const first = options.position ? 'Pos' : options.measurements[0] ? keyOf(options.measurements[0]) : '';
  const [draft, setDraft] = useState<Draft>({ what: first, position: null, phases: [], value: '', reason: '', isLasting: false });
  const [observed, setObserved] = useState('');
  const put = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const { problem, busy, setProblem, send } = useSending(onDone);
  if (first === '') return <p>{t('operate.nothingToEnter')}</p>;
  const measured = options.measurements.find((one) => keyOf(one) === draft.what);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const at = observed ? instantOf(Date.parse(`${observed}Z`), zone) : Date.now();
    const request = requestOf(draft, options, device.equipment, new Date(at).toISOString());
    if (typeof request === 'string') return setProblem(request);
    void send(() => postCommand(token, 'network/entries', request), t('operate.valueIsEntered'));
  };
  return (
    <form className="fields" onSubmit={submit}>
      <p>{t('operate.enterAbout')}</p>
      <label className="field">
        {t('operate.whatIsEntered')}
        <select data-testid="entry-what" value={draft.what} onChange={(event) => put({ what: event.target.value })}>
          {options.position && <option value="Pos">{isSource(options.equipment) ? t('operate.presence') : t('operate.position')}</option>}
          {options.measurements.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {quantityOf(one.quantity)?.name ?? one.quantity} ({one.quantity})
            </option>
          ))}
        </select>
      </label>
      {draft.what === 'Pos' ? (
        <fieldset>
          <legend>{isSource(options.equipment) ? t('operate.presenceOnSite') : t('operate.positionOnSite')}</legend>
          {(['open', 'closed'] as const).map((of) => (
            <label key={of} className="check">
              <input type="radio" name="position" data-testid={`entry-${of}`} checked={draft.position === of} onChange={() => put({ position: of })} /> {positionText(of, options.equipment)}
            </label>
          ))}
        </fieldset>
      ) : (
        <label className="field">
          {t('operate.valueIn', { unit: measured?.unit ?? '', least: number(measured?.least, 1), greatest: number(measured?.greatest, 1) })}
          <input data-testid="entry-value" inputMode="decimal" value={draft.value} onChange={(event) => put({ value: event.target.value })} />
        </label>
      )}
      {draft.what === 'Pos' && (options.position?.phases.length ?? 0) > 1 && (
        <fieldset>
          <legend>{t('operate.phasesOfEntry')}</legend>
          {options.position?.phases.map((phase) => (
            <label key={phase} className="check">
              <input type="checkbox" data-testid={`entry-phase-${phase}`} checked={draft.phases.includes(phase)} onChange={({ target }) => put({ phases: target.checked ? [...draft.phases, phase].toSorted() : draft.phases.filter((of) => of !== phase) })} /> {phase}
            </label>
          ))}
        </fieldset>
      )}
      <div className="field">
        {t('operate.observedIn', { zone })}
        <DateField hasTime label={t('operate.observedIn', { zone })} max={localNow(zone)} value={observed} onChange={setObserved} testId="entry-observed" />
      </div>
      <label className="check">
        <input type="checkbox" data-testid="entry-lasting" checked={draft.isLasting} onChange={(event) => put({ isLasting: event.target.checked })} /> {t('operate.untilWithdrawn')}
      </label>
      <ReasonField label={t('operate.reason')} testId="entry-reason" reason={draft.reason} onChange={(reason) => put({ reason })} />
      <FormFoot problem={problem} busy={busy} back={t('operate.cancel')} onBack={onClose} submit={t('operate.enterValue')} testId="entry-save" />
    </form>
  );
}
