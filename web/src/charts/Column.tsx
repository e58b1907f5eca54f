// Charts below one another with the same time span: presets and steps above them, the legend and one readout below.
import { useCallback, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore, type CSSProperties, type ReactNode } from 'react';
import './chart.css';
import { GroupContext, type Group } from './group';
import { kept, moved, presetRange, zoomed, type Preset, type Range } from './range';
import { Readout } from './readout';
import { fullTime } from './ticks';
import { t } from '../words';

interface Props {
  readonly zone: string;
  readonly presets: readonly Preset[];
  readonly initial?: Preset;
  /** The server's time, epoch ms. */
  readonly now: () => number;
  readonly children: ReactNode;
}

const NAMES: Readonly<Record<Preset, string>> = {
  '1d': t('charts.oneDay'),
  '1w': t('charts.oneWeek'),
  '1m': t('charts.oneMonth'),
  '6m': t('charts.sixMonths'),
  '1y': t('charts.oneYear'),
  ytd: t('charts.yearToDate'),
  all: t('charts.allOfIt'),
};

/** Shortest interval at which the span of a preset follows the clock, ms. */
const FOLLOW_MS = 60_000;

interface View {
  readonly range: Range;
  /** Null if the user has moved the span. */
  readonly preset: Preset | null;
  readonly isBackground: boolean;
}

export function Column({ zone, presets, initial = '1m', now, children }: Props) {
  const sync = useId();
  const [readout] = useState(() => new Readout());
  const chosen = useRef(initial);
  const earliest = useRef<number | null>(null);
  const clock = useRef(now);
  useEffect(() => {
    clock.current = now;
  });
  const at = useCallback(
    (preset: Preset, isBackground: boolean): View => ({
      range: presetRange(preset, clock.current(), zone, earliest.current),
      preset,
      isBackground,
    }),
    [zone],
  );
  const [view, setView] = useState(() => at(initial, false));
  const choose = useCallback(
    (preset: Preset) => {
      chosen.current = preset;
      setView(at(preset, false));
    },
    [at],
  );
  const change = useCallback(
    (range: (before: Range) => Range) => setView((before) => ({ range: range(before.range), preset: null, isBackground: false })),
    [],
  );
  const { range, preset, isBackground } = view;
  // The span moves when the clock has advanced by about one pixel.
  useEffect(() => {
    if (preset === null) return;
    const timer = setTimeout(
      () => {
        if (!document.hidden) setView(at(preset, true));
        else setView((before) => ({ ...before }));
      },
      Math.max(FOLLOW_MS, (range.to - range.from) / 1_000),
    );
    return () => clearTimeout(timer);
  }, [view, preset, range, at]);
  const actions = useMemo<Omit<Group, 'range' | 'isBackground'>>(
    () => ({
      zone,
      sync,
      readout,
      setRange: (range) => change(() => kept(range, clock.current())),
      zoom: (factor, around) => change((before) => zoomed(before, factor, around ?? (before.from + before.to) / 2, clock.current())),
      move: (share) => change((before) => moved(before, share, clock.current())),
      back: () => setView(at(chosen.current, false)),
      begins: (first) => {
        if (earliest.current === first) return;
        earliest.current = first;
        setView((before) => (before.preset === 'all' ? at('all', before.isBackground) : before));
      },
    }),
    [zone, sync, readout, change, at],
  );
  const group = useMemo<Group>(() => ({ ...actions, range, isBackground }), [actions, range, isBackground]);
  return (
    <GroupContext value={group}>
      <section className="chart-column">
        <div className="chart-tools">
          <span className="span" data-testid="chart-span">
            {spanWords(range, zone)} <small>{zone}</small>
          </span>
          <div className="presets" role="group" aria-label={t('charts.spanShown')}>
            {presets.map((key) => (
              <button key={key} type="button" aria-pressed={key === preset} data-testid={`preset-${key}`} onClick={() => choose(key)}>
                {NAMES[key]}
              </button>
            ))}
          </div>
          <div className="steps">
            <Step name={t('charts.earlier')} path="M8 2 4 6l4 4" onStep={() => group.move(-0.5)} />
            <Step name={t('charts.zoomOut')} path="M2 6h8" onStep={() => group.zoom(2)} />
            <Step name={t('charts.zoomIn')} path="M2 6h8M6 2v8" onStep={() => group.zoom(0.5)} />
            <Step name={t('charts.later')} path="m4 2 4 4-4 4" onStep={() => group.move(0.5)} />
          </div>
        </div>
        {children}
        <Foot readout={readout} />
      </section>
    </GroupContext>
  );
}

/** A span as text. */
export function spanWords({ from, to }: Range, zone: string): string {
  return t('charts.to', { from: fullTime(from, 60_000, zone), to: fullTime(to, 60_000, zone) });
}

function Step({ name, path, onStep }: { name: string; path: string; onStep: () => void }) {
  return (
    <button type="button" aria-label={name} data-tip={name} onClick={onStep}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
    </button>
  );
}

function Foot({ readout }: { readout: Readout }) {
  const shown = useSyncExternalStore(readout.subscribe, readout.snapshot);
  const lines = useSyncExternalStore(readout.subscribe, readout.named);
  return (
    <div className="chart-foot">
      <ul>
        {lines.map(({ label, colour, isDashed, isColumn }) => (
          <li key={label}>
            <i style={{ borderTopColor: colour }} data-dashed={isDashed} data-column={isColumn} />
            {label}
          </li>
        ))}
      </ul>
      {shown ? (
        <div className="chart-readout" data-testid="chart-readout">
          <span className="time">{shown.time}</span>
          {shown.groups.map(({ label, colour, texts }) => (
            <span key={label ?? ''} style={{ '--own': colour } as CSSProperties}>
              {label !== null && <b>{label}</b>}
              {texts.map((text, index) => (
                <em key={index}>{text}</em>
              ))}
            </span>
          ))}
        </div>
      ) : (
        <span className="hint">{t('charts.hint')}</span>
      )}
    </div>
  );
}
