// The map of the utility: its geography without map tiles of third parties, and current abnormal conditions.
import { Fragment, useMemo } from 'react';
import { shownQuality, looksLive } from '../../live/freshness';
import { useLink, useServerSecond } from '../../live/live';
import { customersText } from '../../ui/counts';
import { number } from '../../ui/format';
import { useBrand } from '../../session/brand';
import type { Asked } from '../../ui/useAsk';
import type { AlarmRow, Network, OverviewRow } from '../../wire/monitoring';
import { labels, positions, projection } from '../../ui/map/project';
import { Tiles } from '../../ui/map/Tiles';
import { TraceLegend } from '../../ui/TraceLegend';
import { MapTools, useMapView } from '../../ui/map/useMapView';
import { t } from '../../words';

interface Props {
  readonly network: Asked<Network>;
  readonly rows: readonly OverviewRow[];
  readonly alarms: readonly AlarmRow[];
  readonly selected: number | null;
  readonly onSelect: (location: number) => void;
  /** A highlighted part of the network. */
  readonly traced?: TracedOnMap | null;
  /** The jumpers, cuts and portable earths at each substation. */
  readonly marks?: TemporaryOnMap;
}

export interface TemporaryOnMap {
  /** The numbers of changes by substation: of all, and of those without a place in the active network. */
  readonly counts: ReadonlyMap<number, { readonly all: number; readonly lost: number }>;
  /** Whether they could not be read again. */
  readonly isOld: boolean;
  /** Why they cannot be believed; empty if they can. */
  readonly doubt: string;
}

const NO_CHANGES: TemporaryOnMap = { counts: new Map(), isOld: false, doubt: '' };

export interface TracedOnMap {
  readonly kind: 'path' | 'feeds';
  readonly text: string;
  readonly locationIds: ReadonlySet<number>;
  /** The assets of its lines and feeders. */
  readonly assetIds: ReadonlySet<number>;
  readonly onClose: () => void;
}

const LEVELS = [
  [100, 'kv-132'],
  [20, 'kv-33'],
  [2, 'kv-11'],
  [0, 'kv-0-44'],
] as const;

/** The name of the colour token of a voltage level. */
function levelOf(kv: number | string | null | undefined): string {
  const volts = Number.parseFloat(String(kv ?? ''));
  return LEVELS.find(([from]) => volts >= from)?.[1] ?? 'text-3';
}

/** The most serious problem of a substation, for its symbol and second line. */
function trouble(row: OverviewRow | undefined, alarms: readonly AlarmRow[], live: boolean): { kind: 'alarm' | 'warn' | 'lost' | 'fine'; words: string } {
  if (!row) return { kind: 'lost', words: t('network.nothingKnown') };
  if (!live && row.online) return { kind: 'lost', words: t('network.notLive') };
  const worst = [...alarms].sort((a, b) => a.priority - b.priority || (b.raised ?? '').localeCompare(a.raised ?? ''))[0];
  if (row.customersWithoutSupply > 0) return { kind: 'alarm', words: t('network.customersOff', { customers: customersText(row.customersWithoutSupply), feeders: row.feedersDead }) };
  if (worst) return { kind: worst.priority === 1 ? 'alarm' : 'warn', words: worst.assetName ? `${worst.assetName}: ${worst.text}` : worst.text };
  if (row.networkUnavailable) return { kind: 'lost', words: t('app.networkIsNotAvailable') };
  return row.online ? { kind: 'fine', words: '' } : { kind: 'lost', words: t('network.rtuSilent') };
}

export function NetworkMap({ network, rows, alarms, selected, onSelect, traced = null, marks = NO_CHANGES }: Props) {
  const { frame, size, view, step, fit, hands } = useMapView();
  const { mapUrl } = useBrand();
  const link = useLink();
  const now = useServerSecond() ?? Date.now();
  const features = useMemo(() => network.data?.features ?? [], [network.data]);
  const byId = useMemo(() => new Map(rows.map((row) => [row.locationId, row])), [rows]);
  const alarmsAt = useMemo(() => {
    const found = new Map<number, AlarmRow[]>();
    for (const row of alarms) if (row.state.startsWith('active') && !(row.shelvedUntil && Date.parse(row.shelvedUntil) > Date.now())) found.set(row.locationId, [...(found.get(row.locationId) ?? []), row]);
    return found;
  }, [alarms]);
  const shown = useMemo(() => projection(features.flatMap(positions), size), [features, size]);
  const stations = features.filter(({ properties }) => properties.kind === 'substation');
  const at = (position: readonly [number, number]) => {
    const { x, y } = shown?.place(position) ?? { x: 0, y: 0 };
    return { x: x * view.scale + view.x, y: y * view.scale + view.y };
  };
  const named = stations.map((feature) => {
    const id = feature.properties.locationId ?? 0;
    const row = byId.get(id);
    const quality = shownQuality(row?.reportedDateTime ? { v: 0, q: row.quality, t: Date.parse(row.reportedDateTime) } : undefined, row?.ageLimitMs, now, link.up);
    const what = trouble(row, alarmsAt.get(id) ?? [], link.up && (looksLive(quality) || !row?.online));
    const name = (feature.properties.name ?? row?.name ?? '').replace(/^[\d./]+ kV /, '');
    return { id, row, what, name, ...at(positions(feature)[0] ?? [0, 0]), width: Math.max(name.length, what.words.length) * 6.4 };
  });
  const sides = labels(named, size);
  return (
    <div className="map" ref={frame} data-live={link.up} {...hands} data-testid="network-map">
      {!network.data && <div className="notice">{network.problem || t('network.loading')}</div>}
      {network.data && features.length === 0 && <div className="notice">{t('network.noGeometry')}</div>}
      {((network.data && network.problem) || marks.doubt) && (
        <p className="stale-mark" role="alert" data-testid="map-doubt">
          {[network.data && network.problem, marks.doubt].filter(Boolean).join(' ')}
        </p>
      )}
      <svg width={size.width} height={size.height} role="group" aria-label={t('network.map')}>
        <Tiles template={mapUrl} {...{ shown, view, size }} />
        {features
          .filter(({ geometry }) => geometry.type === 'LineString')
          .map(({ geometry, properties }, index) => {
            const ends = [properties.fromLocationId, properties.toLocationId].map((id) => (id === undefined ? undefined : byId.get(id)));
            const known = ends.filter((end) => end !== undefined);
            const dead = properties.kind === 'line' && known.some((end) => end.online && end.energised === 'dead');
            // A line is energised only if an online end reports it. For feeders the map shows only the line path.
            const isLive = link.up && !dead && known.some((end) => end.online && end.energised === 'energised');
            const colour = dead ? '--dead' : isLive ? `--${levelOf(properties.kv)}` : properties.kind === 'feeder' ? '--text-3' : '--topology-unknown';
            const path = positions({ geometry } as Parameters<typeof positions>[0]).map((position) => at(position));
            const points = path.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
            const isTraced = traced !== null && properties.assetId != null && traced.assetIds.has(properties.assetId);
            return (
              <Fragment key={index}>
                {isTraced && <polyline points={points} className="rails" data-trace={traced.kind} data-testid="map-traced" data-name={properties.name} />}
                {isTraced && <polyline points={points} className="between" />}
                <polyline points={points} data-kind={properties.kind} data-traced={isTraced} data-dead={dead} data-unknown={properties.kind === 'line' && !dead && !isLive} style={{ stroke: `var(${colour})` }} />
              </Fragment>
            );
          })}
        {named.map(({ id, row, what, name, x, y }) => {
          const side = sides.get(id);
          const isTraced = traced?.locationIds.has(id) ?? false;
          const changes = marks.counts.get(id) ?? { all: 0, lost: 0 };
          const changed = changes.all > 0 ? [[t('network.temporaryHere', { count: changes.all }), ...(changes.lost > 0 ? [t('network.temporaryLost', { n: changes.lost })] : []), ...(marks.isOld ? [t('network.temporaryOld')] : [])].join(', ')] : [];
          const anchor = side === 'left' ? 'end' : side === 'below' ? 'middle' : 'start';
          const [dx, dy] = side === 'left' ? [-12, -2] : side === 'below' ? [0, 22] : [12, -2];
          return (
            <g
              key={id}
              transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
              role="button"
              tabIndex={0}
              aria-label={[name, what.words || t('network.normal'), ...changed, ...(isTraced ? [t('network.highlighted')] : [])].join(' ')}
              aria-pressed={id === selected}
              data-kind={what.kind}
              data-tip={[row?.name ?? name, what.words || t('network.normal'), ...changed, `${number(row?.loadMw, 1)} MW`].join('\n')}
              data-testid="map-substation"
              data-location={id}
              onClick={() => onSelect(id)}
              onKeyDown={(event) => (event.key === 'Enter' || event.key === ' ') && onSelect(id)}
            >
              <rect className="hit" x="-14" y="-14" width="28" height="28" />
              <rect className="ground" x="-6" y="-6" width="12" height="12" />
              {(what.kind === 'alarm' || what.kind === 'warn') && <rect className="ring" x="-10" y="-10" width="20" height="20" />}
              {isTraced && <rect className="rails" data-trace={traced?.kind} data-testid="map-traced-substation" data-location={id} x="-9.5" y="-9.5" width="19" height="19" />}
              {changes.all > 0 && (
                <g className="temporary" data-testid="map-temporary" data-location={id} data-old={marks.isOld} data-lost={changes.lost > 0}>
                  <path d="M12 6V11M7 11H17M9 14H15M11 17H13" />
                  {(marks.isOld || changes.lost > 0) && (
                    <text x="20" y="18">
                      {marks.isOld ? '?' : '!'}
                    </text>
                  )}
                </g>
              )}
              {id === selected && <rect className="chosen-ring" x="-14" y="-14" width="28" height="28" />}
              {(side || id === selected) && (
                <text x={dx} y={dy} textAnchor={anchor}>
                  {`${name} `}
                  {what.words && (
                    <tspan x={dx} dy="15" className="trouble">
                      {what.words}
                    </tspan>
                  )}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {traced && <TraceLegend kind={traced.kind} text={traced.text} testId="map-trace-legend" onClose={traced.onClose} />}
      <MapTools {...{ shown, view, step, fit }} />
    </div>
  );
}
