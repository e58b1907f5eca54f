// The map of the visible sections in the colours of their health index. Sections without a model are dashed, the selected one is red and in
// view. A canvas is used, because there are thousands of sections; the table is the accessible form.
import { useEffect, useLayoutEffect, useMemo, useRef, type MouseEvent } from 'react';
import { usePalette } from '../../charts/palette';
import type { Asked } from '../../ui/useAsk';
import type { CableSection, SectionId } from '../../wire/cable-health';
import type { Network, Position } from '../../wire/monitoring';
import { useBrand } from '../../session/brand';
import { positions, projection } from '../../ui/map/project';
import { Tiles } from '../../ui/map/Tiles';
import { MapTools, useMapView } from '../../ui/map/useMapView';
import { Legend } from './Legend';
import { HEALTH_BANDS, HEALTH_WORDS, healthStep } from './sections';
import { nearestLine, type Point } from './lines';
import type { Shown } from './shown';
import { t } from '../../words';

interface Props {
  /** All sections. The map is fitted to them, so that a filter does not move it. */
  readonly sections: readonly CableSection[];
  readonly shown: Shown;
  readonly network: Asked<Network>;
  readonly selected: SectionId | null;
  readonly onSelect: (id: SectionId) => void;
}

/** Largest distance between a click and its line, px. */
const NEAR = 9;
/** Smallest distance of the selected section from the edge, px. */
const MARGIN = 40;

export function SectionMap({ sections, shown: { rows }, network, selected, onSelect }: Props) {
  const { frame, size, view, setView, step, fit, hands, wasMoved } = useMapView();
  const { mapUrl } = useBrand();
  const palette = usePalette();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useMemo(() => rows.filter(({ Line }) => Line !== null && Line.length > 1), [rows]);
  const places = useMemo(() => sections.flatMap(({ Line }) => Line ?? []), [sections]);
  const whole = useMemo(() => projection(places, size), [places, size]);
  const stations = (network.data?.features ?? []).filter(({ properties }) => properties.kind === 'substation');
  const lines = useMemo(
    () => drawn.map(({ Line }) => (Line ?? []).map((at: Position): Point => whole?.place(at) ?? { x: 0, y: 0 })),
    [drawn, whole],
  );
  const chosen = selected === null ? -1 : drawn.findIndex(({ CableObjectId }) => CableObjectId === selected);
  useLayoutEffect(() => {
    const own = canvas.current;
    const ink = own?.getContext('2d');
    if (!own || !ink || size.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    own.width = Math.round(size.width * ratio);
    own.height = Math.round(size.height * ratio);
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.lineJoin = 'round';
    ink.lineCap = 'round';
    const along = (line: readonly Point[]) =>
      line.forEach(({ x, y }, at) => {
        const [px, py] = [x * view.scale + view.x, y * view.scale + view.y];
        if (at === 0) ink.moveTo(px, py);
        else ink.lineTo(px, py);
      });
    // One path for each band: thousands of lines need six strokes. The worst band is drawn last.
    for (const wanted of [null, 1, 2, 3, 4, 5] as const) {
      ink.beginPath();
      drawn.forEach((row, at) => {
        if (healthStep(row) === wanted && at !== chosen) along(lines[at] ?? []);
      });
      ink.setLineDash(wanted === null ? [5, 5] : []);
      ink.lineWidth = wanted === null ? 1.5 : 1.5 + wanted * 0.4;
      ink.strokeStyle = wanted === null ? palette.quiet : (palette.bands[wanted - 1] ?? palette.quiet);
      ink.stroke();
    }
    const line = lines[chosen];
    if (!line) return;
    ink.setLineDash([]);
    for (const [width, colour] of [
      [10, palette.text],
      [7, palette.ground],
      [4.5, palette.chosen],
    ] as const) {
      ink.beginPath();
      along(line);
      ink.lineWidth = width;
      ink.strokeStyle = colour;
      ink.stroke();
    }
  }, [drawn, lines, chosen, view, size, palette]);
  // Moves the map if the selected section is out of view.
  useEffect(() => {
    const line = lines[chosen];
    const middle = line?.[Math.floor(line.length / 2)];
    if (!middle || size.width === 0) return;
    setView((before) => {
      const [x, y] = [middle.x * before.scale + before.x, middle.y * before.scale + before.y];
      const isThere = x >= MARGIN && y >= MARGIN && x <= size.width - MARGIN && y <= size.height - MARGIN;
      return isThere ? before : { ...before, x: before.x + size.width / 2 - x, y: before.y + size.height / 2 - y };
    });
  }, [chosen, lines, size, setView]);
  const onClick = (event: MouseEvent<HTMLDivElement>) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box || wasMoved.current || (event.target as Element).closest('button')) return;
    const at = { x: (event.clientX - box.left - view.x) / view.scale, y: (event.clientY - box.top - view.y) / view.scale };
    const found = nearestLine(lines, at, NEAR / view.scale);
    const row = found === null ? undefined : drawn[found];
    if (row) onSelect(row.CableObjectId);
  };
  const without = rows.length - drawn.length;
  return (
    <div className="section-map">
      <div className="map-area">
        <div className="map" ref={frame} {...hands} onClick={onClick} data-testid="section-map">
          {places.length === 0 && <div className="notice">{t('assethealth.noRoutes')}</div>}
          <svg width={size.width} height={size.height} aria-hidden="true" pointerEvents="none">
            <Tiles template={mapUrl} shown={whole} view={view} size={size} />
          </svg>
          <canvas ref={canvas} role="img" aria-label={t('assethealth.mapOf', { count: drawn.length })} />
          <svg width={size.width} height={size.height} aria-hidden="true" pointerEvents="none">
            {whole &&
              stations.map((station, index) => {
                const { x, y } = whole.place(positions(station)[0] ?? [0, 0]);
                return (
                  <g key={index} transform={`translate(${(x * view.scale + view.x).toFixed(1)} ${(y * view.scale + view.y).toFixed(1)})`}>
                    <rect className="ground" x="-6" y="-6" width="12" height="12" />
                    <text x="12" y="4">
                      {station.properties.name}
                    </text>
                  </g>
                );
              })}
          </svg>
          <MapTools {...{ shown: whole, view, step, fit }} />
        </div>
      </div>
      <Legend words={HEALTH_BANDS.map((band) => `${band} ${HEALTH_WORDS[band]}`)} />
      {selected !== null && chosen < 0 && (
        <p className="quiet" role="status" data-testid="chosen-without-route">
          {t('assethealth.chosenWithoutRoute')}
        </p>
      )}
      {without > 0 && <p className="quiet">{t('assethealth.withoutRoute', { n: without })}</p>}
    </div>
  );
}
