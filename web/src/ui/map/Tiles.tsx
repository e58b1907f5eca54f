// The tiles below a map, if the site's brand has an address for them. A tile that does not load leaves its place empty.
import { useMemo } from 'react';
import type { Frame, Projection } from './project';
import { tilesOf } from './tiles';
import type { MapView } from './useMapView';

interface Props {
  readonly template: string;
  readonly shown: Projection | null;
  readonly view: MapView;
  readonly size: Frame;
}

export function Tiles({ template, shown, view, size }: Props) {
  const tiles = useMemo(() => (shown && template ? tilesOf(template, shown, view, size) : []), [template, shown, view, size]);
  return (
    <g className="tiles" aria-hidden="true">
      {tiles.map(({ url, ...place }) => (
        <image key={url} href={url} preserveAspectRatio="none" data-testid="map-tile" {...place} />
      ))}
    </g>
  );
}
