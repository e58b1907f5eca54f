// What a feeder or transformer measures now, phase by phase, with the day's extremes (specification 2, section 2.6).
import { looksLive, qualityLetter, qualityWord, shownQuality } from '../../live/freshness';
import { useLink, useServerSecond } from '../../live/live';
import { age, eventTime, number } from '../../ui/format';
import type { Reading } from '../../wire/history';
import type { Readings } from './useReadings';
import { useReadings } from './useReadings';
import { t } from '../../words';
import './profiles.css';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
  readonly assetName: string;
}

/** The table by itself, with a stream of its own. */
export function LiveReadings({ token, zone, assetId, assetName }: Props) {
  return <ReadingsTable readings={useReadings(token, assetId)} zone={zone} name={assetName} />;
}

/** The table of readings that are held elsewhere: a stream has one listener. */
export function ReadingsTable({ readings: { rows, state, problem }, zone, name }: { readings: Readings; zone: string; name: string }) {
  if (rows.length === 0) {
    const words = state === 'loading' ? t('profiles.loading') : state === 'failed' ? problem : t('profiles.noDataAvailable');
    return (
      <div className="notice" role={state === 'failed' ? 'alert' : undefined}>
        {words}
      </div>
    );
  }
  return (
    <div className="readings">
      <table aria-label={t('profiles.readingsOf', { name })}>
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
            <Row key={row.parameter} row={row} zone={zone} />
          ))}
        </tbody>
      </table>
      {problem && <p role="alert">{t('profiles.notUpToDate', { problem })}</p>}
    </div>
  );
}

/** A value that is of no phase stands across them; one that has both has a line for each. */
function Row({ row, zone }: { row: Reading; zone: string }) {
  const link = useLink();
  const now = useServerSecond() ?? Date.now();
  const at = row.reportedDateTime === null ? null : Date.parse(row.reportedDateTime);
  const quality = shownQuality(at === null ? undefined : { v: 0, q: row.quality, t: at }, row.ageLimitMs, now, link.up);
  const live = looksLive(quality);
  const { parameter, unit, decimals, r, y, b, total, dayMin, dayMax } = row;
  const isPhased = r !== null || y !== null || b !== null;
  const said =
    at === null
      ? qualityWord(quality)
      : t('profiles.asOf', { quality: qualityWord(quality), time: eventTime(at, now, zone), age: age(now - at) });
  const letter = qualityLetter(quality);
  // The extremes are those of the total where there is one.
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
        <td title={said}>
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
