// The selected device with its state, the time of its last change, its values and last events, and the list of all devices for keyboard users.
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { looksLive, qualityLetter, qualityWord } from '../../live/freshness';
import { statusWord } from '../../live/status';
import { useServerSecond, useShownPoint } from '../../live/live';
import { age, eventTime, number } from '../../ui/format';
import { inUnit, quantityOf } from '../../ui/quantities';
import type { EventRow, GenericRow } from '../../wire/rest';
import type { Confirmed, TemporaryMark } from '../../wire/sld';
import { t } from '../../words';

export interface Device {
  id: string;
  name: string;
  className: string;
  assetId: number | null;
  pointId: number | null;
  /** Its id in the network; null if the drawing does not name it. */
  equipment: string | null;
  /** Whether it is equipment below 1 kV. */
  isLow: boolean;
  /** Whether the diagram draws the two states inverted (`zerosColor`, `onesColor`). */
  inverted: boolean;
  /** The normal position of a switch that no point reports; null if a point does. */
  assumed: 'open' | 'closed' | null;
  /** The position that a user has confirmed; null if nobody has confirmed one, or if a reported position replaces it. */
  confirmed: Confirmed | null;
  /** Jumpers, cuts and portable earths at it. */
  temporary: readonly TemporaryMark[];
  /** What the network says of it: customers, load, rating. */
  facts: readonly (readonly [name: string, value: string])[];
}

interface Props {
  devices: readonly Device[];
  selected: Device | null;
  onSelect(id: string): void;
  /** Ends the selection, which closes the panel on a small screen. */
  onClose(): void;
  /** Opens the menu of a device at a position in the window. */
  onMenu(id: string, at: { x: number; y: number }): void;
  /** Why the own desk may not operate the selected device; empty if it may. A tip on a disabled button does not reach a keyboard or a touch screen. */
  held?: string;
  /** The operations on the selected device, and their progress. */
  actions: ReactNode;
  /** What feeds the selected device, and what it feeds. */
  trace: ReactNode;
  rows: readonly GenericRow[];
  /** Names of the codes of measured values (PDS). Null shows every point by its own name (GDS). */
  names: ReadonlyMap<string, string> | null;
  events: readonly EventRow[];
  zone: string;
}

/** Letters typed within this time, ms, form one search text. */
const TYPED_MS = 800;

export function Detail({ devices, selected, onSelect, onClose, onMenu, held = '', actions, trace, rows, names, events, zone }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const now = useServerSecond() ?? Date.now();
  const status = rows.find((row) => row.pointId === selected?.pointId);
  const own = rows.filter((row) => row !== status && belongs(row, selected, status) && (names === null || names.has(codeOf(row))));
  const of = events.filter((row) => row.AssetId === selected?.assetId);
  const here = of.slice(0, 10);
  // Devices also report positions that have not changed, so the time of the newest report says nothing about since when.
  const changed = Math.max(0, ...of.filter(({ PointId }) => PointId === selected?.pointId).map(({ EventTime }) => Date.parse(EventTime)));
  const typed = useRef({ text: '', at: 0 });
  const go = (device: Device | undefined) => {
    if (!device) return;
    onSelect(device.id);
    list.current?.querySelector<HTMLButtonElement>(`[data-id="${CSS.escape(device.id)}"]`)?.focus();
  };
  const byLetters = (key: string) => {
    const now = performance.now();
    typed.current = { text: (now - typed.current.at < TYPED_MS ? typed.current.text : '') + key.toLowerCase(), at: now };
    const at = devices.findIndex((device) => device.id === selected?.id);
    const from = typed.current.text.length === 1 ? at + 1 : Math.max(0, at);
    const rest = [...devices.slice(from), ...devices.slice(0, from)];
    return rest.find(({ name }) => name.toLowerCase().startsWith(typed.current.text)) ?? rest.find(({ name }) => name.toLowerCase().includes(typed.current.text));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = devices.findIndex((device) => device.id === selected?.id);
    const to = { ArrowDown: Math.min(devices.length - 1, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: devices.length - 1 }[event.key];
    if (to !== undefined) go(devices[to]);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      const box = (event.target as HTMLElement).getBoundingClientRect();
      const id = (event.target as HTMLElement).dataset.id ?? selected?.id;
      if (!id) return;
      onSelect(id);
      onMenu(id, { x: box.left, y: box.bottom });
    } else if (event.key.length === 1 && /\S/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) go(byLetters(event.key));
    else return;
    event.preventDefault();
  };
  return (
    <section className="detail" aria-label={t('station.device')}>
      {selected ? (
        <>
          <div className="detail-head">
            <h2>{selected.name}</h2>
            <button type="button" className="plain" data-testid="detail-close" aria-label={t('station.closeDevice', { name: selected.name })} onClick={onClose}>
              ✕
            </button>
          </div>
          <p>{selected.className}</p>
          {status && !selected.confirmed && <State row={status} zone={zone} changed={changed} />}
          {selected.confirmed && (
            <>
              <div className="state" data-testid="confirmed-state" data-dim={selected.confirmed.isOld === true}>
                {selected.confirmed.isOld && '? '}S {positionText(selected.confirmed)}
              </div>
              {selected.confirmed.isOld && <p>{t('station.entryOld')}</p>}
              <p data-testid="confirmed-by">
                {t('station.confirmedBy', { by: selected.confirmed.by, at: eventTime(Date.parse(selected.confirmed.observed), now, zone, true), reason: selected.confirmed.reason })}
              </p>
              <p>{selected.confirmed.isLasting ? t('station.confirmedLasts') : t('station.confirmedYields')}</p>
              {selected.confirmed.reported && <p data-testid="confirmed-reported">{t('station.telemetryReports', { position: selected.confirmed.reported === 'open' ? t('station.open') : t('station.closed') })}</p>}
            </>
          )}
          {selected.assumed && (
            <>
              <div className="state" data-dim="true" data-testid="assumed-state">
                {selected.assumed === 'open' ? t('station.open') : t('station.closed')}
              </div>
              <p>{t('station.assumed')}</p>
            </>
          )}
          {selected.facts.length > 0 && (
            <dl className="facts">
              {selected.facts.map(([name, value]) => (
                <Fact key={name} name={name} value={value} />
              ))}
            </dl>
          )}
          {status && selected.inverted && <p data-testid="drawn-inverted">{t('station.drawnInverted')}</p>}
          {held && (
            <p className="held" data-testid="held-elsewhere">
              {held}
            </p>
          )}
          {actions}
          {trace}
          {own.length > 0 && (
            <>
              <h3>{t('station.now')}</h3>
              <dl>
                {own.map((row) => (
                  <Value key={row.pointId} row={row} name={names?.get(codeOf(row)) ?? quantityOf(codeOf(row))?.name ?? codeOf(row)} isLow={selected.isLow} />
                ))}
              </dl>
            </>
          )}
          <h3>{t('station.eventsHere')}</h3>
          {here.length === 0 ? (
            <p>{t('station.noDataAvailable')}</p>
          ) : (
            <ul className="events">
              {here.map((row) => (
                <li key={row.offset}>
                  <span>{eventTime(Date.parse(row.EventTime), now, zone, true)}</span>
                  <span>{row.DISignal}</span>
                  <span>{row.ChangeTo}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      ) : (
        <p>{t('station.selectADeviceOnThe')}</p>
      )}
      <h3>{t('station.devices')}</h3>
      <ul className="elements" role="listbox" aria-label={t('station.devicesOfThisDiagram')} ref={list} onKeyDown={onKeyDown}>
        {devices.map((device, index) => (
          <li key={device.id} role="presentation">
            <button type="button" role="option" data-id={device.id} aria-selected={device.id === selected?.id} tabIndex={device.id === selected?.id || (!selected && index === 0) ? 0 : -1} onClick={() => onSelect(device.id)} onContextMenu={(event) => {
                event.preventDefault();
                onSelect(device.id);
                onMenu(device.id, { x: event.clientX, y: event.clientY });
              }}>
              <span>{device.name}</span>
              {device.confirmed ? <span data-dim={device.confirmed.isOld === true}>{device.confirmed.isOld && '? '}S {positionText(device.confirmed)}</span> : device.assumed ? <span>{device.assumed === 'open' ? t('station.openAssumed') : t('station.closedAssumed')}</span> : <StateWord row={rows.find((row) => row.pointId === device.pointId)} />}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An entered position, with its phases if they are not all. */
function positionText({ position, phases }: Confirmed): string {
  const text = position === 'open' ? t('station.open') : t('station.closed');
  return phases ? t('station.inPhases', { position: text, phases }) : text;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function StateWord({ row }: { row: GenericRow | undefined }) {
  return row ? <StateOf row={row} /> : null;
}

function StateOf({ row }: { row: GenericRow }) {
  const { point, quality } = useShownPoint(row.pointId, row.ageLimitMs);
  const word = point?.v == null ? '–' : statusWord(row.encoding, point.v);
  return (
    <span>
      {qualityLetter(quality)} {word}
    </span>
  );
}

/** `changed`: when the state last changed, epoch ms; 0 if that is not known. */
function State({ row, zone, changed }: { row: GenericRow; zone: string; changed: number }) {
  const { point, quality } = useShownPoint(row.pointId, row.ageLimitMs);
  const now = useServerSecond() ?? Date.now();
  const live = looksLive(quality);
  const word = point?.v == null ? t('station.neverReceived') : statusWord(row.encoding, point.v);
  return (
    <>
      <div className="state" data-dim={!live}>
        {live ? '' : '? '}
        {word}
      </div>
      {point && point.t > 0 && (
        <p>
          {live && changed > 0
            ? t('station.sinceChange', { at: eventTime(changed, now, zone, true), age: age(now - changed) })
            : `${live ? t('station.reported') : t('station.lastKnownAsOf')} ${eventTime(point.t, now, zone, true)}, ${age(now - point.t)}`}
          , {qualityWord(quality)}
        </p>
      )}
    </>
  );
}

/** The code of a point: `Ir` for `F3/F3/Ir`. */
function codeOf({ pointName }: GenericRow): string {
  return pointName.split('/').pop() ?? pointName;
}

/** Whether a point is shown with a device: its own points, and for a breaker also the measurands of its bay. */
function belongs(row: GenericRow, selected: Device | null, status: GenericRow | undefined): boolean {
  if (row.assetId === selected?.assetId) return true;
  const bay = status?.pointName.split('/')[0];
  return selected?.className === 'breaker' && bay !== undefined && !row.encoding && row.pointName.startsWith(`${bay}/`);
}

function Value({ row, name, isLow }: { row: GenericRow; name: string; isLow: boolean }) {
  const { point, quality } = useShownPoint(row.pointId, row.ageLimitMs);
  const now = useServerSecond() ?? Date.now();
  const live = looksLive(quality);
  const shown = inUnit(point?.v, row.unit, row.decimals, isLow);
  const text = row.encoding ? (point?.v == null ? '–' : statusWord(row.encoding, point.v)) : number(shown.value, shown.decimals);
  return (
    <>
      <dt>{name}</dt>
      <dd data-dim={!live} data-tip={qualityWord(quality)}>
        {qualityLetter(quality)} {text} <span>{shown.unit}</span> {!live && point && point.t > 0 && <span>{age(now - point.t)} {t('station.old')}</span>}
        <span className="visually-hidden"> {qualityWord(quality)}</span>
      </dd>
    </>
  );
}
