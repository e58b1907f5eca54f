// What feeds the selected device and what it feeds, and its highlight on diagram and map. The highlight follows the network: it is computed again when the
// live streams report a change, and removed with a note when that is not possible.
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { tracedOn, type TraceKind, type Traced } from '../features/diagram/trace';
import type { Device } from '../features/station/Detail';
import { FedFrom, type Trace } from '../features/station/FedFrom';
import { useLink } from '../live/live';
import { TraceLegend } from '../ui/TraceLegend';
import { customersText } from '../ui/counts';
import { useAskRepeated } from '../ui/useAsk';
import { get, type Asking, type GatewayRow, type Login } from '../wire/rest';
import type { Drawing } from '../wire/sld';
import { highlight } from './highlight';
import { useChanges } from './useChanges';
import { t } from '../words';

/** Interval at which a trace is read even if no change is reported, ms. It is needed because the user receives no reports of switches in other areas. */
const AGAIN_MS = 10_000;
/** How long a highlight may be older than a reported change, ms. */
const LATE_MS = 2_000;

export interface TraceView {
  /** The part of the panel. */
  readonly panel: ReactNode;
  /** The highlighted part of the diagram. */
  readonly traced: Traced | null;
  readonly legend: ReactNode;
}

/** The query of a device: by its position, else by its equipment, else by its asset. */
export function subjectOf(device: Pick<Device, 'pointId' | 'equipment' | 'assetId'> | null): string | null {
  if (device?.pointId != null) return `point=${device.pointId}`;
  if (device?.equipment) return `equipment=${encodeURIComponent(device.equipment)}`;
  return device?.assetId != null ? `asset=${device.assetId}` : null;
}

/** What is highlighted, as text. */
export function highlightText(kind: TraceKind, name: string, { sides, feeds }: Trace): string {
  if (kind === 'feeds') return t('app.highlightFeeds', { name, customers: customersText(feeds.extent.customers) });
  const sources = new Set(sides.filter(({ isFed }) => isFed).map(({ source }) => source?.name ?? t('app.sourceOutside')));
  return t('app.highlightPath', { name, sources: [...sources].join(', ') });
}

/** Whether there is something to highlight. */
function isThere(kind: TraceKind, { sides, feeds }: Trace): boolean {
  return kind === 'path' ? sides.some(({ isFed }) => isFed) : feeds.extent.nodes > 0;
}

interface Given {
  readonly login: Login;
  readonly gateways: readonly GatewayRow[];
  readonly location: number;
  readonly drawing: Drawing | null;
  readonly selected: Device | null;
}

export function useTrace({ login, gateways, location, drawing, selected }: Given): TraceView {
  const link = useLink();
  const subject = subjectOf(selected);
  const changes = useChanges(login, gateways, subject !== null);
  const newest = useRef(changes);
  useEffect(() => void (newest.current = changes), [changes]);
  const ask = async (asking: Asking) => {
    // The answer is at least as new as the changes that were known when it was requested.
    const at = newest.current;
    const { result } = await get<Trace | null>(login.token, `network/trace?${subject}&location=${location}`, asking);
    return { result: { trace: result, at } };
  };
  const { data, problem } = useAskRepeated(subject && `trace/${location}/${subject}`, ask, AGAIN_MS, changes);
  const [shown, setShown] = useState<{ readonly subject: string; readonly kind: TraceKind } | null>(null);
  const [note, setNote] = useState<{ readonly subject: string; readonly text: string } | null>(null);
  const kind = shown !== null && shown.subject === subject ? shown.kind : null;
  const close = useCallback(() => setShown(null), []);

  const trace = data?.trace ?? null;
  const isBehind = data !== null && data.at !== changes;
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    setIsLate(false);
    if (!isBehind) return;
    const timer = setTimeout(() => setIsLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isBehind, data]);
  const hasEnded = trace !== null && kind !== null && !isThere(kind, trace);
  const reason = !link.up || problem || isLate ? t('app.highlightUnknown') : hasEnded ? t('app.highlightEnded') : '';
  useEffect(() => {
    if (kind === null || subject === null || !reason) return;
    setShown(null);
    setNote({ subject, text: reason });
  }, [kind, subject, reason]);
  useEffect(() => {
    if (kind === null) return;
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open], [role=menu]') && setShown(null);
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [kind]);

  // An answer with the same content keeps the highlight as it is.
  const drawn = JSON.stringify(trace?.drawn ?? null);
  const isShown = kind !== null && !reason && trace !== null;
  const traced = useMemo(() => {
    const part = JSON.parse(drawn) as Trace['drawn'];
    return isShown && drawing && part ? tracedOn(drawing, part, kind) : null;
  }, [isShown, kind, drawing, drawn]);
  const text = isShown && selected ? highlightText(kind, selected.name, trace) : '';
  useEffect(() => {
    const part = (JSON.parse(drawn) as Trace['drawn'])?.[kind ?? 'path'];
    if (!isShown || !part || !text) return;
    highlight.set({ kind, text, locationIds: new Set(part.locationIds), assetIds: new Set(part.assetIds), onClose: close });
    return () => highlight.set(null);
  }, [isShown, kind, drawn, text, close]);

  const show = (next: TraceKind | null) => {
    setNote(null);
    setShown(next === null || subject === null ? null : { subject, kind: next });
  };
  const legendText = traced ? text : text && `${text}. ${t('app.highlightNotDrawn')}`;
  return {
    panel: subject && <FedFrom trace={trace} problem={problem} shown={kind} note={note?.subject === subject ? note.text : ''} onShow={show} />,
    traced,
    legend: (
      <>
        {/* Always there, because screen readers announce changes of a region and not a new one. */}
        <span className="visually-hidden" role="status" data-testid="trace-said">
          {legendText}
        </span>
        {isShown && text && <TraceLegend kind={kind} text={legendText} testId="trace-legend" onClose={close} />}
      </>
    ),
  };
}
