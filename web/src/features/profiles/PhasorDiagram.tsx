// The phasor diagram: voltages solid, currents dashed, each with its own scale. It is updated while it is visible.
import { looksLive, qualityLetter, qualityWord, shownQuality } from '../../live/freshness';
import { useLink, useServerSecond } from '../../live/live';
import { age, eventTime, number } from '../../ui/format';
import { useAskRepeated } from '../../ui/useAsk';
import { getPhasors } from '../../wire/history';
import { phasors, type Phasor } from './phasor';
import { t } from '../../words';
import './profiles.css';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
}

/** Interval of updates, ms, the same as for diagram values (specification 2, section 9). */
const POLL_MS = 10_000;
/** Radius of the ring, and size of the diagram including the degrees around the ring. */
const RADIUS = 130;
const SIZE = 330;

export function PhasorDiagram({ token, zone, assetId }: Props) {
  const link = useLink();
  const now = useServerSecond() ?? Date.now();
  const { data, problem } = useAskRepeated(`phasors-${assetId}`, async (asking) => ({ result: await getPhasors(token, assetId, asking) }), POLL_MS);
  const at = data?.reportedDateTime ? Date.parse(data.reportedDateTime) : null;
  const quality = shownQuality(
    at === null || !data ? undefined : { v: 0, q: data.quality, t: at },
    data?.ageLimitMs,
    now,
    link.up && !problem,
  );
  const drawn = data ? phasors(data) : [];
  return (
    <section className="phasor" data-dim={!looksLive(quality)}>
      <header>
        <h3>{t('profiles.phasorDiagram')}</h3>
        <small>
          {at === null
            ? ''
            : t('profiles.asOf', {
                quality: `${qualityLetter(quality)} ${qualityWord(quality)}`.trim(),
                time: eventTime(at, now, zone),
                age: age(now - at),
              })}
        </small>
      </header>
      {problem && data && <p role="alert">{t('profiles.notUpToDate', { problem })}</p>}
      {!data && problem && (
        <div className="notice" role="alert">
          {problem}
        </div>
      )}
      {!data && !problem && <div className="notice chart-late">{t('profiles.loading')}</div>}
      {data && drawn.length === 0 && <div className="notice">{t('profiles.noDataAvailable')}</div>}
      {drawn.length > 0 && <Picture drawn={drawn} />}
      {data && drawn.length > 0 && (
        <dl>
          <dt>{t('profiles.sequence')}</dt>
          <dd data-abnormal={data.sequence === 'R-B-Y'}>{data.sequence ?? '–'}</dd>
          <dt>{t('profiles.unbalance')}</dt>
          <dd>{number(data.vufPercent, 2)} %</dd>
        </dl>
      )}
    </section>
  );
}

function Picture({ drawn }: { drawn: readonly Phasor[] }) {
  const label = drawn
    .map(({ name, magnitude, angle, isCurrent }) =>
      t('profiles.phasorOf', {
        name,
        magnitude: number(magnitude, isCurrent ? 1 : 2),
        unit: isCurrent ? 'A' : 'kV',
        angle: number(angle, 1),
      }),
    )
    .join(', ');
  return (
    <svg viewBox={`${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`} role="img" aria-label={label}>
      {[1, 0.5].map((part) => (
        <circle key={part} className="ring" r={RADIUS * part} />
      ))}
      {Array.from({ length: 12 }, (_, index) => index * 30).map((degrees) => {
        const [x, y] = [Math.cos((degrees * Math.PI) / 180), -Math.sin((degrees * Math.PI) / 180)];
        return (
          <g key={degrees}>
            <line className="spoke" x2={x * RADIUS} y2={y * RADIUS} />
            <text className="degrees" x={x * (RADIUS + 18)} y={y * (RADIUS + 14)}>
              {degrees}°
            </text>
          </g>
        );
      })}
      {drawn.map(({ name, phase, isCurrent, x, y, nameX, nameY }) => (
        <g key={name} className="vector" data-phase={phase} data-testid={`phasor-${name}`}>
          <line x2={x * RADIUS} y2={y * RADIUS} strokeWidth={isCurrent ? 1.5 : 2} strokeDasharray={isCurrent ? '5 3' : undefined} />
          <circle cx={x * RADIUS} cy={y * RADIUS} r={isCurrent ? 3 : 3.5} />
          <text x={nameX * RADIUS} y={nameY * RADIUS}>
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
}
