// Faults of the last day by hour, as bars. Drawn without the chart library, because few rectangles do not need it.
import { t } from '../../words';

export interface Hour {
  /** Start of the hour, epoch ms. */
  readonly at: number;
  readonly sustained: number;
  readonly momentary: number;
}

const HOUR_MS = 3_600_000;

/** Offset of the zone's full hours from those of UTC, ms; half an hour in India. */
function shift(zone: string, now: number): number {
  const minutes = Number(new Intl.DateTimeFormat('en-GB', { timeZone: zone, minute: 'numeric' }).format(now));
  return ((minutes - new Date(now).getUTCMinutes() + 60) % 60) * 60_000;
}

/** The last 24 hours in the zone. The last one is the current hour. */
export function byHour(faults: readonly { StartTime: string; momentary: boolean }[], now: number, zone: string): readonly Hour[] {
  const off = shift(zone, now);
  const last = Math.floor((now + off) / HOUR_MS) * HOUR_MS - off;
  const hours = Array.from({ length: 24 }, (_, index) => ({ at: last - (23 - index) * HOUR_MS, sustained: 0, momentary: 0 }));
  for (const { StartTime, momentary } of faults) {
    const hour = hours[Math.floor((Date.parse(StartTime) - (hours[0]?.at ?? 0)) / HOUR_MS)];
    if (hour) hour[momentary ? 'momentary' : 'sustained'] += 1;
  }
  return hours;
}

/** Marks of the axis: whole numbers in at most five steps. */
export function ticks(most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(most / 5));
  return Array.from({ length: Math.floor(Math.max(most, step) / step) + 1 }, (_, index) => index * step);
}

const [LEFT, TOP, HEIGHT, WIDTH] = [34, 10, 150, 640];

export function HourBars({ hours, zone }: { hours: readonly Hour[]; zone: string }) {
  const most = Math.max(...hours.map(({ sustained, momentary }) => sustained + momentary), 1);
  const steps = ticks(most);
  const top = steps.at(-1) ?? 1;
  const y = (value: number) => TOP + HEIGHT - (value / top) * HEIGHT;
  const width = (WIDTH - LEFT) / hours.length;
  const label = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const total = hours.reduce((sum, { sustained, momentary }) => sum + sustained + momentary, 0);
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${WIDTH} ${TOP + HEIGHT + 22}`} role="img" aria-label={t('overview.faultsOfADay', { total })}>
        {steps.map((step) => (
          <g key={step}>
            <line x1={LEFT} x2={WIDTH} y1={y(step)} y2={y(step)} />
            <text x={LEFT - 8} y={y(step) + 4} textAnchor="end">
              {step}
            </text>
          </g>
        ))}
        {hours.map(({ at, sustained, momentary }, index) => {
          const x = LEFT + index * width + width * 0.2;
          return (
            <g key={at} data-tip={`${label.format(at)}: ${sustained} ${t('overview.sustained')}, ${momentary} ${t('overview.momentary')}`}>
              <rect data-kind="sustained" x={x} width={width * 0.6} y={y(sustained)} height={y(0) - y(sustained)} />
              <rect data-kind="momentary" x={x} width={width * 0.6} y={y(sustained + momentary)} height={y(sustained) - y(sustained + momentary)} />
              {index % 4 === 3 && (
                <text x={index === hours.length - 1 ? WIDTH : x + width * 0.3} y={TOP + HEIGHT + 16} textAnchor={index === hours.length - 1 ? 'end' : 'middle'}>
                  {label.format(at)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption>
        <i data-kind="sustained" /> {t('overview.sustained')} <i data-kind="momentary" /> {t('overview.momentary')}
      </figcaption>
    </figure>
  );
}
