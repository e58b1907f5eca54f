// Live readings of a feeder or transformer by phase, with the extremes of the day (specification 2, section 2.6).
import { useState } from 'react';
import { looksLive, qualityLetter, qualityWord, shownQuality } from '../../live/freshness';
import { useLink, useLive, useServerSecond } from '../../live/live';
import { useAll, useFeed } from '../../live/useFeed';
import { Frame } from '../../table/Frame';
import { age, eventTime, number } from '../../ui/format';
import { inUnit, LOW_KV, lowUnit } from '../../ui/quantities';
import type { Reading } from '../../wire/history';
import { readingSource } from './readings';
import { t } from '../../words';
import './profiles.css';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
  readonly assetName: string;
}

/** The rows at the time when Auto Refresh was switched off. */
interface Frozen {
  readonly at: number;
  readonly rows: readonly Reading[];
  readonly arrived: number;
}

export function LiveReadings({ token, zone, assetId, assetName }: Props) {
  const feed = useFeed(readingSource(token, assetId));
  const now = useAll(feed);
  const { connection } = useLive();
  const link = useLink();
  const [frozen, setFrozen] = useState<Frozen | null>(null);
  const rows = frozen?.rows ?? now;
  const isLow = isLowVoltage(rows);
  return (
    <Frame
      title={t('profiles.liveReadings')}
      count={rows.length}
      frozenAt={frozen?.at ?? null}
      onFreeze={(still) => setFrozen(still ? { at: connection.clock.now() ?? Date.now(), rows: now, arrived: feed.arrived } : null)}
      waiting={frozen ? feed.arrived - frozen.arrived : 0}
      state={feed.state}
      problem={feed.problem}
      empty={rows.length === 0}
      zone={zone}
      live={link.up}
    >
      <div className="readings">
        <table aria-label={t('profiles.readingsOf', { name: assetName })}>
          <thead>
            <tr>
              <th scope="col">{t('profiles.parameter')}</th>
              <th scope="col" className="number">
                R
              </th>
              <th scope="col" className="number">
                Y
              </th>
              <th scope="col" className="number">
                B
              </th>
              <th scope="col" className="number">
                {t('profiles.dayMin')}
              </th>
              <th scope="col" className="number">
                {t('profiles.dayMax')}
              </th>
              <th scope="col" aria-label={t('profiles.unit')} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.parameter} row={row} zone={zone} isLow={isLow} />
            ))}
          </tbody>
        </table>
      </div>
    </Frame>
  );
}

/** Whether the asset is below 1 kV, by its highest voltage of the day. */
function isLowVoltage(rows: readonly Reading[]): boolean {
  const volts = rows.filter(({ unit }) => unit === 'kV').map(({ r, y, b, total, dayMax }) => Math.max(r ?? 0, y ?? 0, b ?? 0, total ?? 0, dayMax ?? 0));
  const highest = Math.max(0, ...volts);
  return highest > 0 && highest < LOW_KV;
}

/** A reading in the units of low voltage. */
function lowered(row: Reading): Reading {
  const low = lowUnit(row.unit);
  if (!low) return row;
  const to = (value: number | null) => inUnit(value, row.unit, row.decimals, true).value;
  return { ...row, unit: low.unit, decimals: low.decimals, r: to(row.r), y: to(row.y), b: to(row.b), total: to(row.total), dayMin: to(row.dayMin), dayMax: to(row.dayMax) };
}

/** A row of readings. A value without a phase spans the phase columns. If a reading has both, it has a line for each. */
function Row({ row, zone, isLow }: { row: Reading; zone: string; isLow: boolean }) {
  const link = useLink();
  const now = useServerSecond() ?? Date.now();
  const at = row.reportedDateTime === null ? null : Date.parse(row.reportedDateTime);
  const quality = shownQuality(at === null ? undefined : { v: 0, q: row.quality, t: at }, row.ageLimitMs, now, link.up);
  const live = looksLive(quality);
  const { parameter, unit, decimals, r, y, b, total, dayMin, dayMax } = isLow ? lowered(row) : row;
  const isPhased = r !== null || y !== null || b !== null;
  const said =
    at === null
      ? qualityWord(quality)
      : t('profiles.asOf', { quality: qualityWord(quality), time: eventTime(at, now, zone), age: age(now - at) });
  const letter = qualityLetter(quality);
  // The extremes are those of the total, if there is one.
  const hasTotal = isPhased && total !== null;
  const extremes = (
    <>
      <td className="number">{number(dayMin, decimals)}</td>
      <td className="number">{number(dayMax, decimals)}</td>
    </>
  );
  return (
    <>
      <tr
        data-testid="reading"
        data-parameter={parameter}
        data-quality={qualityWord(quality)}
        data-dim={!live}
        data-bar={live ? undefined : 'warn'}
      >
        <td data-tip={said}>
          {letter && <b>{letter} </b>}
          {parameter}{' '}
          {!live && at !== null && (
            <small>
              {age(now - at)} {t('profiles.old')}
            </small>
          )}
        </td>
        {isPhased ? (
          [r, y, b].map((value, index) => (
            <td key={index} className="number now">
              {number(value, decimals)}
            </td>
          ))
        ) : (
          <td className="number now" colSpan={3}>
            {number(total, decimals)}
          </td>
        )}
        {hasTotal ? <td colSpan={2} /> : extremes}
        <td className="unit">{unit}</td>
      </tr>
      {hasTotal && (
        <tr data-dim={!live} className="total">
          <td>{t('profiles.totalOf', { parameter })}</td>
          <td className="number now" colSpan={3}>
            {number(total, decimals)}
          </td>
          {extremes}
          <td className="unit">{unit}</td>
        </tr>
      )}
    </>
  );
}
