// The areas of the utility: at which desk the user sits, who holds what, and asking for, offering, taking and moving an area.
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { ReasonField } from '../../ui/ReasonField';
import { eventTime } from '../../ui/format';
import { useSending } from '../../ui/useSending';
import { answerSeat, askForSeat, handOver, sit, type Area, type Areas, type Desk } from '../../wire/areas';
import { t } from '../../words';
import { deskName, ownSeatRequests, seatSentenceOf, seatsWaitingForAnswer, sentenceOf, waitingForAnswer } from './responsibility';

interface Props {
  readonly token: string;
  readonly areas: Areas;
  readonly zone: string;
  readonly onChanged: (areas: Areas) => void;
  readonly onClose: () => void;
}

/** An act that needs a reason. */
type Asking = { readonly act: 'request' | 'offer' | 'move'; readonly area: Area };

export function AreasPanel({ token, areas, zone, onChanged, onClose }: Props) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const [seat, setSeat] = useState<Desk | null>(null);
  const { problem, busy, send } = useSending(() => {
    setAsking(null);
    setSeat(null);
  });
  const desk = useRef<HTMLSelectElement>(null);
  const opener = useRef<Element | null>(null);
  const isFormOpen = asking !== null || seat !== null;
  // What had the focus may be gone, or was disabled while a request was on its way. Then the focus goes to the button that has opened the form, or to the first
  // field.
  useEffect(() => {
    if (busy || isFormOpen || desk.current?.closest('dialog')?.contains(document.activeElement)) return;
    const back = opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : desk.current;
    opener.current = null;
    back?.focus();
  }, [busy, isFormOpen]);
  const ask = (of: Asking) => {
    opener.current = document.activeElement;
    setSeat(null);
    setAsking(of);
  };
  const changed = ({ result }: { result: Areas }) => onChanged(result);
  const waiting = waitingForAnswer(areas, Date.now());
  const own = areas.areas.flatMap((area) => area.requests.map((request) => ({ area, request }))).filter(({ request }) => (request.kind === 'request' ? request.toDeskId : request.fromDeskId) === areas.deskId);
  const seats = seatsWaitingForAnswer(areas, Date.now());
  const ownSeats = ownSeatRequests(areas);
  const choose = (id: number) => {
    const desk = areas.desks.find((each) => each.id === id);
    setAsking(null);
    setSeat(desk?.needsConsent ? desk : null);
    if (!desk?.needsConsent) void send(() => sit(token, id).then(changed), t('areas.youSitThere'));
  };
  const seatAnswer = (act: 'consent' | 'refuse', requestId: number) => void send(() => answerSeat(token, act, requestId).then(changed), t('areas.answered'));
  const sendSeat = (desk: Desk, reason: string) => void (areas.supervises ? send(() => sit(token, desk.id, reason).then(changed), t('areas.youSitThere')) : send(() => askForSeat(token, desk.id, reason).then(changed), t('areas.sent')));
  const answer = (area: number, act: 'consent' | 'refuse', requestId: number) => void send(() => handOver(token, area, act, { requestId }).then(changed), t('areas.answered'));
  return (
    <Dialog title={t('areas.areas')} onClose={onClose}>
      <label className="field">
        {t('areas.yourDesk')}
        <select ref={desk} data-testid="desk" data-first="" value={seat?.id ?? areas.deskId} disabled={busy || !areas.operates} onChange={(event) => choose(Number(event.target.value))}>
          {areas.desks.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {!areas.operates && <p>{t('areas.onlyOperators')}</p>}
      <div className="scroll">
        <table aria-label={t('areas.whoHoldsWhat')}>
          <thead>
            <tr>
              <th>{t('areas.area')}</th>
              <th>{t('areas.heldByDesk')}</th>
              <th>{t('areas.since')}</th>
              <th aria-label={t('areas.actions')} />
            </tr>
          </thead>
          <tbody>
            {areas.areas.map((area) => (
              <tr key={area.id} data-testid="area-row" data-area={area.name} data-own={area.deskId === areas.deskId}>
                <td>{area.name}</td>
                <td>{area.deskId == null ? t('areas.nobody') : deskName(areas, area.deskId)}</td>
                <td>{area.since == null ? '–' : `${eventTime(area.since, Date.now(), zone)}, ${area.heldBy ?? ''}`}</td>
                <td className="row-actions">{areas.operates && <Choices areas={areas} area={area} busy={busy} onTake={() => void send(() => handOver(token, area.id, 'take', {}).then(changed), t('areas.taken', { area: area.name }))} onAsk={(act) => ask({ act, area })} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(waiting.length > 0 || own.length > 0 || seats.length > 0 || ownSeats.length > 0) && (
        <ul className="plain-list">
          {waiting.map((each) => (
            <li key={each.request.id}>
              {sentenceOf(areas, each)}{' '}
              <button type="button" disabled={busy} onClick={() => answer(each.area.id, 'consent', each.request.id)}>
                {each.request.kind === 'request' ? t('areas.give') : t('areas.accept')}
              </button>{' '}
              <button type="button" disabled={busy} onClick={() => answer(each.area.id, 'refuse', each.request.id)}>
                {t('areas.refuse')}
              </button>
            </li>
          ))}
          {seats.map((each) => (
            <li key={`seat-${each.request.id}`}>
              {seatSentenceOf(each)}{' '}
              <button type="button" disabled={busy} onClick={() => seatAnswer('consent', each.request.id)}>
                {t('areas.seatAccept')}
              </button>{' '}
              <button type="button" disabled={busy} onClick={() => seatAnswer('refuse', each.request.id)}>
                {t('areas.refuse')}
              </button>
            </li>
          ))}
          {ownSeats.map((each) => (
            <li key={`seat-${each.request.id}`} data-testid="seat-own-request">
              {seatSentenceOf(each)}{' '}
              <button type="button" disabled={busy} onClick={() => seatAnswer('refuse', each.request.id)}>
                {t('areas.withdraw')}
              </button>
            </li>
          ))}
          {own.map((each) => (
            <li key={each.request.id} data-testid="area-own-request">
              {sentenceOf(areas, each)}{' '}
              <button type="button" disabled={busy} onClick={() => answer(each.area.id, 'refuse', each.request.id)}>
                {t('areas.withdraw')}
              </button>
            </li>
          ))}
        </ul>
      )}
      {seat && !asking ? (
        // Those at the desk must agree, and a supervisor sits there at once.
        <ReasonForm key={seat.id} testId="seat" {...{ problem, busy }} submit={areas.supervises ? t('areas.sitWithReason', { desk: seat.name }) : t('areas.askForSeat', { desk: seat.name })} onBack={() => setSeat(null)} onSend={(reason) => sendSeat(seat, reason)}>
          <p>{t('areas.seatNeedsConsent', { desk: seat.name })}</p>
        </ReasonForm>
      ) : asking ? (
        <Act key={`${asking.act}-${asking.area.id}`} {...asking} areas={areas} problem={problem} busy={busy} onBack={() => setAsking(null)} onSend={(deskId, reason) => void send(() => (asking.act === 'request' ? handOver(token, asking.area.id, 'request', { reason }) : handOver(token, asking.area.id, asking.act, { deskId, reason })).then(changed), asking.act === 'move' ? t('areas.passed', { area: asking.area.name }) : t('areas.sent'))} />
      ) : (
        <>
          <p className="problem" role="alert">
            {problem}
          </p>
          <div className="actions">
            <button type="button" onClick={onClose}>
              {t('areas.close')}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

interface ReasonFormProps {
  readonly testId: 'seat' | 'area';
  readonly problem: string;
  readonly busy: boolean;
  readonly submit: string;
  readonly onBack: () => void;
  readonly onSend: (reason: string) => void;
  /** What is above the reason. */
  readonly children?: ReactNode;
}

function ReasonForm({ testId, problem, busy, submit, onBack, onSend, children }: ReasonFormProps) {
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === '') return setMissing(t('areas.reasonIsNeeded'));
    setMissing('');
    onSend(reason.trim());
  };
  return (
    <form className="fields" onSubmit={send}>
      {children}
      <ReasonField isFirst label={t('areas.reason')} testId={`${testId}-reason`} reason={reason} onChange={setReason} />
      <FormFoot problem={missing || problem} busy={busy} back={t('areas.cancel')} onBack={onBack} submit={submit} testId={`${testId}-send`} />
    </form>
  );
}

/** The acts that are possible for an area. */
function Choices({ areas, area, busy, onTake, onAsk }: { readonly areas: Areas; readonly area: Area; readonly busy: boolean; readonly onTake: () => void; readonly onAsk: (act: Asking['act']) => void }) {
  const isOwn = area.deskId === areas.deskId;
  const button = (act: string, words: string, onClick: () => void) => (
    <button type="button" className="plain" disabled={busy} data-testid={`area-${act}`} aria-label={`${words}: ${area.name}`} onClick={onClick}>
      {words}
    </button>
  );
  return (
    <>
      {area.deskId == null && button('take', t('areas.take'), onTake)}
      {area.deskId != null && !isOwn && button('ask', t('areas.ask'), () => onAsk('request'))}
      {isOwn && areas.desks.length > 1 && button('offer', t('areas.offer'), () => onAsk('offer'))}
      {areas.supervises && areas.desks.length > 1 && button('move', t('areas.move'), () => onAsk('move'))}
    </>
  );
}

interface ActProps extends Asking, Pick<ReasonFormProps, 'problem' | 'busy' | 'onBack'> {
  readonly areas: Areas;
  readonly onSend: (deskId: number, reason: string) => void;
}

function Act({ act, area, areas, onSend, ...form }: ActProps) {
  const others = areas.desks.filter(({ id }) => id !== area.deskId);
  const [desk, setDesk] = useState(others[0]?.id ?? 0);
  const submit = { request: t('areas.askFor', { area: area.name }), offer: t('areas.offerOf', { area: area.name }), move: t('areas.moveOf', { area: area.name }) }[act];
  return (
    <ReasonForm {...form} testId="area" submit={submit} onSend={(reason) => onSend(desk, reason)}>
      {act !== 'request' && (
        <label className="field">
          {t('areas.toDesk')}
          <select data-testid="area-desk" value={desk} onChange={(event) => setDesk(Number(event.target.value))}>
            {others.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </ReasonForm>
  );
}
