// Jumpers, cuts and portable earths at the selected device: their list, and the dialogs to place and to remove one.
import { useRef, useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { ReasonField } from '../../ui/ReasonField';
import { eventTime } from '../../ui/format';
import { kindText } from '../../ui/temporary';
import { useAsk } from '../../ui/useAsk';
import { useFocusAfterRemoval } from '../../ui/useFocusAfterRemoval';
import { get, type Schemas } from '../../wire/rest';
import type { TemporaryMark } from '../../wire/sld';
import { t } from '../../words';
import { useSending } from '../../ui/useSending';
import { usePostOnce } from './usePostOnce';

type Kind = TemporaryMark['kind'];
type Terminals = Schemas['TemporaryTerminals'];
/** A terminal of equipment that can be chosen. */
interface Choice {
  readonly equipment: string;
  readonly terminal: number;
  readonly text: string;
}

const KINDS: readonly Kind[] = ['portableEarth', 'jumper', 'cut'];
const LINE = 'ACLineSegment';

const stateText = (state: string) => ({ energised: t('network.energised'), dead: t('network.dead'), earthed: t('network.earthed') })[state] ?? t('network.unknown');

/** A device of a diagram. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly equipment: string | null;
}

/** The query of the terminals of a device; null if neither the network nor the diagram of a substation identifies it. */
function queryOf({ id, equipment }: Named, location: number | null): string | null {
  if (equipment !== null) return `equipment=${encodeURIComponent(equipment)}`;
  return location === null ? null : `location=${location}&element=${encodeURIComponent(id)}`;
}

interface Props {
  readonly token: string;
  readonly zone: string;
  /** The devices of the diagram, of which the second end of a jumper can be one. */
  readonly devices: readonly Named[];
  readonly device: (Named & { readonly temporary: readonly TemporaryMark[] }) | null;
  /** The substation of the diagram; null for the diagram of a feeder, which names its equipment. */
  readonly location: number | null;
  /** Whether the user may place and remove changes. */
  readonly mayPlace: boolean;
  /** Why the own desk may not place changes at the device; empty if it may. */
  readonly outside: string;
  /** Reads the changes again. */
  readonly onChanged: () => void;
}

export function TemporaryChanges({ token, zone, devices, device, location, mayPlace, outside, onChanged }: Props) {
  const [open, setOpen] = useState<'place' | TemporaryMark | null>(null);
  const placing = useRef<HTMLButtonElement>(null);
  const expectRemoval = useFocusAfterRemoval(device?.temporary.length ?? 0, () => placing.current?.focus());
  const at = device && queryOf(device, location);
  if (!device || at === null) return null;
  const close = () => setOpen(null);
  const done = () => {
    close();
    onChanged();
  };
  const removed = () => {
    expectRemoval();
    done();
  };
  const tip = (mayPlace ? outside : t('operate.noRightToConfirm')) || undefined;
  return (
    <>
      {device.temporary.length > 0 && (
        <ul className="entered" data-testid="temporary-here" aria-label={t('operate.temporaryChanges')}>
          {device.temporary.map((mark) => (
            <li key={mark.id} data-dim={mark.isOld === true}>
              {mark.isOld && '? '}
              {kindText(mark.kind)} {mark.id}
              {mark.isOld && <p>{t('operate.changeOld')}</p>}
              <p>{t('operate.placedBy', { by: mark.by, at: eventTime(Date.parse(mark.placed), Date.now(), zone), reason: mark.reason })}</p>
              <button type="button" data-testid={`temporary-remove-${mark.id}`} disabled={tip !== undefined} data-tip={tip} onClick={() => setOpen(mark)}>
                {t('operate.removeChange', { kind: kindText(mark.kind).toLowerCase(), id: mark.id })}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="device-actions">
        <button ref={placing} type="button" data-testid="action-temporary" disabled={tip !== undefined} data-tip={tip} onClick={() => setOpen('place')}>
          {t('operate.placeChange')}
        </button>
      </div>
      {open === 'place' && <Place {...{ token, at, devices, location }} name={device.name} onClose={close} onDone={done} onUncertain={onChanged} />}
      {open !== null && open !== 'place' && <RemoveTemporary token={token} id={open.id} kind={open.kind} place={open.place} onClose={close} onDone={removed} onUncertain={onChanged} />}
    </>
  );
}

interface DialogProps {
  readonly token: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** Reads the changes again: the answer to a request was lost. */
  readonly onUncertain: () => void;
}

/** The terminals of the equipment itself, or for a cut those of the lines at it. */
function choicesOf({ equipment, terminals }: Terminals, kind: Kind): Choice[] {
  const beside = (of: Terminals['terminals'][number]) => of.beside.map(({ equipment: { name } }) => name).join(', ') || t('operate.nothingBeside');
  if (kind !== 'cut' || equipment.kind === LINE) {
    return terminals.map((of) => ({ equipment: equipment.id, terminal: of.terminal, text: t('operate.endBeside', { end: of.terminal, beside: beside(of), state: stateText(of.state) }) }));
  }
  const lines = terminals.flatMap((of) => of.beside.filter(({ equipment: { kind } }) => kind === LINE).map((line) => ({ line, state: of.state })));
  return lines.map(({ line, state }) => ({ equipment: line.equipment.id, terminal: line.terminal, text: t('operate.lineEnd', { name: line.equipment.name, end: line.terminal, state: stateText(state) }) }));
}

interface PlaceProps extends DialogProps {
  readonly at: string;
  readonly name: string;
  readonly devices: readonly Named[];
  readonly location: number | null;
}

function Place({ token, at, name, devices, location, onClose, onDone, onUncertain }: PlaceProps) {
  const [kind, setKind] = useState<Kind>('portableEarth');
  const [one, setOne] = useState('');
  const [search, setSearch] = useState('');
  const [sought, setSought] = useState('');
  const [other, setOther] = useState('');
  const [reason, setReason] = useState('');
  const [seenDead, setSeenDead] = useState(false);
  const post = usePostOnce(token, onUncertain);
  const { problem, busy, setProblem, send } = useSending(onDone);
  const own = useAsk(`terminals-${at}`, (asking) => get<Terminals>(token, `network/temporary/terminals?${at}`, asking));
  // What is typed is the name of a device of this diagram, or the id of any equipment.
  const farDevice = devices.find(({ name }) => name === sought) ?? { id: '', name: sought, equipment: sought };
  const farQuery = sought === '' ? null : queryOf(farDevice, location);
  const far = useAsk(farQuery === null ? null : `terminals-${farQuery}`, (asking) => get<Terminals>(token, `network/temporary/terminals?${farQuery}`, asking));
  const choices = own.data ? choicesOf(own.data, kind) : [];
  const farChoices = far.data ? choicesOf(far.data, 'jumper') : [];
  const chosen = (list: readonly Choice[], key: string) => list.find((choice) => keyOf(choice) === key) ?? (list.length === 1 ? list[0] : undefined);
  const place = (event: FormEvent) => {
    event.preventDefault();
    const ends = [chosen(choices, one), ...(kind === 'jumper' ? [chosen(farChoices, other)] : [])];
    if (ends.some((end) => end === undefined)) return setProblem(kind === 'jumper' ? t('operate.chooseBothEnds') : t('operate.chooseEnd'));
    if (reason.trim() === '') return setProblem(t('operate.reasonIsNeeded'));
    const terminals = ends.flatMap((end) => (end ? [{ equipment: end.equipment, terminal: end.terminal }] : []));
    void send(() => post('network/temporary', { kind, at: terminals, reason: reason.trim(), seenDead }), t('operate.changeIsPlaced', { kind: kindText(kind) }));
  };
  return (
    <Dialog title={t('operate.placeChangeAt', { name })} onClose={onClose}>
      <form className="fields" onSubmit={place}>
        <p>{t('operate.placeAbout')}</p>
        <fieldset>
          <legend>{t('operate.kindOfChange')}</legend>
          {KINDS.map((of) => (
            <label key={of} className="check">
              <input type="radio" name="kind" data-testid={`temporary-${of}`} checked={kind === of} onChange={() => setKind(of)} /> {kindText(of)}
            </label>
          ))}
        </fieldset>
        {own.problem && <p role="alert">{own.problem}</p>}
        {!own.data && !own.problem && <p>{t('operate.readingEnds')}</p>}
        {own.data && choices.length === 0 && <p>{t('operate.noLineHere')}</p>}
        {choices.length > 0 && <Ends legend={kind === 'jumper' ? t('operate.firstEnd') : t('operate.whichEnd')} name="one" choices={choices} value={one} onChange={setOne} />}
        {kind === 'jumper' && (
          <>
            <label className="field">
              {t('operate.secondEquipment')}
              <input type="search" list="temporary-devices" data-testid="temporary-search" value={search} onChange={(event) => setSearch(event.target.value)} />
            </label>
            <datalist id="temporary-devices">
              {devices.map((device) => (
                <option key={device.id} value={device.name} />
              ))}
            </datalist>
            <button type="button" data-testid="temporary-find" disabled={search.trim() === ''} onClick={() => setSought(search.trim())}>
              {t('operate.findEquipment')}
            </button>
            {far.problem && <p role="alert">{far.problem}</p>}
            {farChoices.length > 0 && <Ends legend={t('operate.secondEnd')} name="other" choices={farChoices} value={other} onChange={setOther} />}
          </>
        )}
        <label className="check">
          <input type="checkbox" data-testid="temporary-seen-dead" checked={seenDead} onChange={(event) => setSeenDead(event.target.checked)} /> {t('operate.seenDead')}
        </label>
        <ReasonField label={t('operate.reason')} testId="temporary-reason" reason={reason} onChange={setReason} />
        <FormFoot problem={problem} busy={busy} back={t('operate.cancel')} onBack={onClose} submit={t('operate.placeChange')} testId="temporary-save" />
      </form>
    </Dialog>
  );
}

const keyOf = ({ equipment, terminal }: Choice) => `${terminal} ${equipment}`;

function Ends({ legend, name, choices, value, onChange }: { readonly legend: string; readonly name: string; readonly choices: readonly Choice[]; readonly value: string; readonly onChange: (key: string) => void }) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={keyOf(choice)} className="check">
          <input type="radio" name={name} data-testid={`temporary-${name}-${choice.terminal}`} checked={value === keyOf(choice) || choices.length === 1} onChange={() => onChange(keyOf(choice))} /> {choice.text}
        </label>
      ))}
    </fieldset>
  );
}

export function RemoveTemporary({ token, id, kind, place, onClose, onDone, onUncertain }: DialogProps & { readonly id: number; readonly kind: string; readonly place: string }) {
  const [reason, setReason] = useState('');
  const [seenDead, setSeenDead] = useState(false);
  const post = usePostOnce(token, onUncertain);
  const { problem, busy, setProblem, send } = useSending(onDone);
  const remove = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === '') return setProblem(t('operate.reasonIsNeeded'));
    void send(() => post(`network/temporary/${id}/remove`, { reason: reason.trim(), seenDead }), t('operate.changeIsRemoved', { kind: kindText(kind) }));
  };
  return (
    <Dialog title={t('operate.removeChangeAt', { kind: kindText(kind).toLowerCase(), id, place })} onClose={onClose}>
      <form className="fields" onSubmit={remove}>
        {kind === 'cut' && (
          <label className="check">
            <input type="checkbox" checked={seenDead} onChange={(event) => setSeenDead(event.target.checked)} /> {t('operate.seenDead')}
          </label>
        )}
        <ReasonField label={t('operate.reason')} testId="temporary-reason" reason={reason} onChange={setReason} />
        <FormFoot problem={problem} busy={busy} back={t('operate.cancel')} onBack={onClose} submit={t('operate.removeIt')} testId="temporary-removed" />
      </form>
    </Dialog>
  );
}
