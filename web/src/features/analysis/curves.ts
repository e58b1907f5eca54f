// The curves of a feeder: load, load duration, voltages, daily profile, and protection with faults. Pure.
import type { Figure } from '../../charts/ink';
import { xy, type XyPoint } from '../../charts/xy';
import { eventTime } from '../../ui/format';
import type { ChartData } from '../../charts/model';
import type { FeederCurves } from '../../wire/analysis-check';
import { t } from '../../words';

const PERCENT = { name: t('analytics.percentOfTime'), unit: '%', from: 0, to: 100, decimals: 1 } as const;

const place = (x: number, y: number | null): XyPoint | null => (y === null ? null : { x, y });

/** The load over time: mean, minimum and maximum. */
export function loadChart({ load, bucketMs, unit }: Pick<FeederCurves, 'load' | 'bucketMs' | 'unit'>): ChartData {
  const isEnveloped = (bucketMs ?? 0) > 0;
  return {
    times: load.map(({ timeMs }) => timeMs),
    bucketMs: bucketMs ?? 0,
    columns: [
      {
        code: 'P',
        name: t('analytics.demand'),
        phase: null,
        unit,
        decimals: 2,
        mean: load.map(({ demand }) => demand),
        min: isEnveloped ? load.map(({ min }) => min) : [],
        max: isEnveloped ? load.map(({ max }) => max) : [],
        quality: [],
      },
    ],
  };
}

const CURVES: Readonly<Record<string, string>> = {
  definite_time: t('analytics.curveDefinite'),
  iec_standard_inverse: t('analytics.curveIecStandard'),
  iec_very_inverse: t('analytics.curveIecVery'),
  iec_extremely_inverse: t('analytics.curveIecExtremely'),
  iec_long_inverse: t('analytics.curveIecLong'),
  ieee_moderately_inverse: t('analytics.curveIeeeModerately'),
  ieee_very_inverse: t('analytics.curveIeeeVery'),
  ieee_extremely_inverse: t('analytics.curveIeeeExtremely'),
};

/** The name of a standard curve. */
export function curveWords(curve: string | null): string {
  return curve === null ? '–' : (CURVES[curve] ?? curve);
}

/** Load duration curve: the share of time in which the demand reached each value. */
export function durationCurve({ duration, unit }: FeederCurves): Figure {
  return xy({
    x: PERCENT,
    y: { name: t('analytics.demand'), unit, decimals: 2, fromZero: true },
    series: [
      {
        name: t('analytics.demand'),
        points: duration.map(({ percentOfTime, demand }) => place(percentOfTime, demand)),
        as: 'line',
        colour: 0,
      },
    ],
    head: t('analytics.curve'),
  });
}

/** Voltage duration curve: the share of time in which each phase reached each voltage. */
export function voltageCurve({ voltage, voltageUnit }: FeederCurves): Figure {
  const phases = [
    ['R', 'vr'],
    ['Y', 'vy'],
    ['B', 'vb'],
  ] as const;
  return xy({
    x: PERCENT,
    y: { name: t('analytics.voltage'), unit: voltageUnit, decimals: 3 },
    series: phases.map(([phase, key]) => ({
      name: phase,
      points: voltage.map((row) => place(row.percentOfTime, row[key])),
      as: 'line' as const,
      colour: phase,
    })),
    head: t('analytics.curve'),
  });
}

/** Daily profile: mean, minimum and maximum of each hour. */
export function dayCurve({ byHour, unit }: FeederCurves): Figure {
  const hours = [...byHour].sort((a, b) => a.hour - b.hour);
  return xy({
    x: { name: t('analytics.hourOfDay'), unit: '', from: 0, to: 23, decimals: 0 },
    y: { name: t('analytics.demand'), unit, decimals: 2, fromZero: true },
    series: [
      {
        name: t('analytics.leastToMost'),
        points: hours.map(({ hour, min, max }) => (min === null || max === null ? null : { x: hour, y: max, low: min })),
        as: 'band',
        colour: 0,
      },
      { name: t('analytics.mean'), points: hours.map(({ hour, mean }) => place(hour, mean)), as: 'line', colour: 0 },
    ],
    head: t('analytics.curve'),
  });
}

/** The position of 0 s on the logarithmic axis, in s, unless a time is shorter. */
const FLOOR_S = 0.01;

/**
 * The operating time of each element over the current, with logarithmic axes, as is usual for such curves. A fault is drawn at its current
 * and the time that the settings give, because the actual operating time of the relay is not known.
 */
export function protectionCurves({ protection, faults }: FeederCurves, now: number, zone: string): Figure {
  const expected = faults.flatMap(({ expectedS }) => (expectedS === null ? [] : [expectedS]));
  const seconds = [...protection.curves.flatMap(({ points }) => points.map(([, y]) => y)), ...expected].filter((y) => y > 0);
  const floor = seconds.reduce((least, y) => Math.min(least, y), FLOOR_S);
  const at = (x: number, y: number): XyPoint | null => (x > 0 && y >= 0 ? (y > 0 ? { x, y } : { x, y: floor, said: y }) : null);
  const bySettings = faults.flatMap(({ amps, expectedS, type, time, element }): XyPoint[] => {
    const point = amps === null || expectedS === null ? null : at(amps, expectedS);
    return point ? [{ ...point, note: [eventTime(Date.parse(time), now, zone), type, element].filter(Boolean).join(', ') }] : [];
  });
  return xy({
    x: { name: t('analytics.current'), unit: 'A', isLogarithmic: true, decimals: 0 },
    y: { name: t('analytics.seconds'), unit: 's', isLogarithmic: true, decimals: 2 },
    series: [
      ...protection.curves.map(({ element, points }, index) => ({
        name: points.length > 0 && points.every(([, y]) => y === 0) ? `${element} (0 s)` : element,
        points: points.map(([x, y]) => at(x, y)),
        as: 'line' as const,
        colour: index,
        // Elements for earth faults end in N and are dashed, because their ANSI number is that of the phase element.
        ...(element.endsWith('N') && { dash: [6, 3] }),
      })),
      ...(bySettings.length > 0
        ? [{ name: t('analytics.faultsBySettings'), points: bySettings, as: 'points' as const, colour: 'R' as const }]
        : []),
    ],
    head: t('analytics.curve'),
  });
}
