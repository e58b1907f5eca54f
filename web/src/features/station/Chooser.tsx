// Selection of circle, division, location and asset in one row, with the levels above (specification 2, sections 2.1 and 2.5).
import { useState } from 'react';
import type { Places } from './places';
import { t } from '../../words';

export interface AssetOption {
  readonly assetId: number;
  readonly assetName: string;
  readonly assetTypeId: number;
}

interface Props {
  readonly places: Places | null;
  readonly failed: string;
  readonly location: number | null;
  readonly onChoose: (location: number) => void;
  /** The assets that can be selected on the current tab; null hides the selection. */
  readonly assets: readonly AssetOption[] | null;
  readonly asset: number | null;
  readonly onAsset: (asset: AssetOption | null) => void;
}

export function Chooser({ places, failed, location, onChoose, assets, asset, onAsset }: Props) {
  const here = places?.locations.find((place) => place.AssetPointId === location);
  const [circle, setCircle] = useState<number | null>(null);
  const [division, setDivision] = useState<number | null>(null);
  if (!places) return <p className="chooser quiet">{failed || t('station.loading')}</p>;
  const shownCircle = circle ?? here?.circleId ?? null;
  const shownDivision = division ?? (circle === null ? (here?.divisionId ?? null) : null);
  const divisions = places.divisions.filter((row) => shownCircle === null || row.circleId === shownCircle);
  const locations = places.locations.filter((row) => (shownDivision === null || row.divisionId === shownDivision) && (shownCircle === null || row.circleId === shownCircle));
  const optional = (value: string) => (value === '' ? null : Number(value));
  return (
    <div className="chooser">
      <label className="pick">
        <span>{t('station.circle')}</span>
        <select
          value={shownCircle ?? ''}
          onChange={(event) => {
            setCircle(optional(event.target.value));
            setDivision(null);
          }}
        >
          <option value="">{t('station.all')}</option>
          {places.circles.map((row) => (
            <option key={row.circleId} value={row.circleId}>
              {row.circleName}
            </option>
          ))}
        </select>
      </label>
      <label className="pick">
        <span>{t('station.division')}</span>
        <select
          value={shownDivision ?? ''}
          onChange={(event) => {
            const id = optional(event.target.value);
            setDivision(id);
            setCircle(places.divisions.find((row) => row.divisionId === id)?.circleId ?? shownCircle);
          }}
        >
          <option value="">{t('station.all')}</option>
          {divisions.map((row) => (
            <option key={row.divisionId} value={row.divisionId}>
              {row.divName}
            </option>
          ))}
        </select>
      </label>
      <label className="pick">
        <span>{t('station.location')}</span>
        <select
          data-testid="select-location"
          value={locations.some((row) => row.AssetPointId === location) ? (location ?? '') : ''}
          onChange={(event) => {
            if (!event.target.value) return;
            setCircle(null);
            setDivision(null);
            onChoose(Number(event.target.value));
          }}
        >
          <option value="">{t('station.select')}</option>
          {locations.map((row) => (
            <option key={row.AssetPointId} value={row.AssetPointId}>
              {row.AssetPointName}
            </option>
          ))}
        </select>
      </label>
      {assets && (
        <label className="pick">
          <span>{t('station.asset')}</span>
          <select data-testid="select-asset" value={asset ?? ''} onChange={(event) => onAsset(assets.find(({ assetId }) => assetId === Number(event.target.value)) ?? null)}>
            <option value="">{t('station.all')}</option>
            {assets.map(({ assetId, assetName }) => (
              <option key={assetId} value={assetId}>
                {assetName}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
