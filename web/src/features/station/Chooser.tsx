// Circle, division and location, and the list of substations below them (specification 2, section 2.1).
import { useState } from 'react';
import type { GatewayRow } from '../../wire/rest';
import type { Places } from './places';
import { t } from '../../words';

interface Props {
  places: Places | null;
  failed: string;
  location: number | null;
  gateways: readonly GatewayRow[];
  linkUp: boolean;
  onChoose(location: number): void;
}

export function Chooser({ places, failed, location, gateways, linkUp, onChoose }: Props) {
  const here = places?.locations.find((place) => place.AssetPointId === location);
  const [circle, setCircle] = useState<number | null>(null);
  const [division, setDivision] = useState<number | null>(null);
  if (!places) return <aside className="side">{failed ? <div className="notice">{failed}</div> : <div className="notice">{t('station.loading')}</div>}</aside>;
  const shownCircle = circle ?? here?.circleId ?? null;
  const shownDivision = division ?? (circle === null ? (here?.divisionId ?? null) : null);
  const divisions = places.divisions.filter((row) => shownCircle === null || row.circleId === shownCircle);
  const locations = places.locations.filter((row) => (shownDivision === null || row.divisionId === shownDivision) && (shownCircle === null || row.circleId === shownCircle));
  const lost = new Set(linkUp ? gateways.filter((gateway) => !gateway.online).map((gateway) => gateway.locationId) : []);
  const choose = (id: number) => {
    setCircle(null);
    setDivision(null);
    onChoose(id);
  };
  const optional = (value: string) => (value === '' ? null : Number(value));
  return (
    <aside className="side" aria-label={t('station.substations')}>
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
        <select data-testid="select-location" value={locations.some((row) => row.AssetPointId === location) ? (location ?? '') : ''} onChange={(event) => event.target.value && choose(Number(event.target.value))}>
          <option value="">{t('station.select')}</option>
          {locations.map((row) => (
            <option key={row.AssetPointId} value={row.AssetPointId}>
              {row.AssetPointName}
            </option>
          ))}
        </select>
      </label>
      <ul className="places">
        {places.divisions
          .filter((row) => places.locations.some((place) => place.divisionId === row.divisionId))
          .map((row) => (
            <li key={row.divisionId}>
              <h3>{row.divName}</h3>
              {places.locations
                .filter((place) => place.divisionId === row.divisionId)
                .map((place) => (
                  <button key={place.AssetPointId} type="button" aria-current={place.AssetPointId === location} onClick={() => choose(place.AssetPointId)}>
                    {place.AssetPointName} {lost.has(place.AssetPointId) && <em>{t('station.rtuLost')}</em>}
                  </button>
                ))}
            </li>
          ))}
      </ul>
    </aside>
  );
}
