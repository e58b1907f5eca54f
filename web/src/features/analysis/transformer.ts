// The live readings of a transformer: quality of each reading, gauges, and oil level. Pure.
import type { GaugeRow } from '../../charts/gauge';
import { looksLive, qualityWord, shownQuality } from '../../live/freshness';
import { age, number } from '../../ui/format';
import type { TransformerReading } from '../../wire/analysis-energy';
import { t } from '../../words';

/** The readings of a transformer. Each has its own sensor. */
export const READINGS = ['WTI', 'OTI', 'AmbientTemp', 'OilLevel', 'TapPosition', 'ActualVoltage'] as const;
export type ReadingName = (typeof READINGS)[number];

/** The quality of a reading, computed from its age and the link, with its text. */
export interface Standing {
  readonly quality: number;
  readonly isLive: boolean;
  /** Why the reading is not live; null if it is. */
  readonly doubt: string | null;
}

/** The quality of each reading. Sensors fail separately, so a reading is not live only because another one is reported. */
export function standingsOf(reading: TransformerReading | null, now: number, linkUp: boolean): Record<ReadingName, Standing> {
  const of = (name: ReadingName) => standingOf(reading?.readings?.[name] ?? null, now, linkUp);
  return {
    WTI: of('WTI'),
    OTI: of('OTI'),
    AmbientTemp: of('AmbientTemp'),
    OilLevel: of('OilLevel'),
    TapPosition: of('TapPosition'),
    ActualVoltage: of('ActualVoltage'),
  };
}

/** The quality of one reading. Null gives the quality never received. */
export function standingOf(
  of: { readonly quality: number; readonly reportedDateTime: string | null; readonly ageLimitMs: number | null } | null,
  now: number,
  linkUp: boolean,
): Standing {
  const at = of?.reportedDateTime == null ? null : Date.parse(of.reportedDateTime);
  const shown = shownQuality(of === null || at === null ? undefined : { v: 0, q: of.quality, t: at }, of?.ageLimitMs, now, linkUp);
  const isLive = looksLive(shown);
  return {
    quality: shown,
    isLive,
    doubt: isLive ? null : [qualityWord(shown), at === null ? '' : t('analytics.old', { age: age(now - at) })].filter(Boolean).join(', '),
  };
}

/** The ranges of the gauges, °C. */
const REACH = { WTI: [0, 140], OTI: [0, 120], AmbientTemp: [-10, 60] } as const;

/**
 * The gauges of the three temperatures, with the limits of their alarms. Specification 3, section 2.1, shows 0 for a missing value. A user could believe a winding at 0 °C,
 * so such a gauge has no needle and shows NO DATA.
 */
export function temperatures(
  reading: TransformerReading | null,
  doubts: Readonly<Partial<Record<ReadingName, string | null>>>,
): GaugeRow[] {
  const names = { WTI: t('analytics.wti'), OTI: t('analytics.oti'), AmbientTemp: t('analytics.ambient') } as const;
  return (['WTI', 'OTI', 'AmbientTemp'] as const).map((key) => {
    const value = reading?.[key] ?? null;
    const warn = reading?.readings?.[key]?.highLimit ?? null;
    const alarm = reading?.readings?.[key]?.highHighLimit ?? null;
    return {
      name: names[key],
      value,
      unit: '°C',
      decimals: 1,
      from: Math.min(REACH[key][0], value ?? 0),
      to: Math.max(REACH[key][1], value ?? 0, warn ?? 0, alarm ?? 0),
      warn,
      alarm,
      doubt: value === null ? null : (doubts[key] ?? null),
    };
  });
}

export interface OilLook {
  readonly words: string;
  /** The specification's colours (3, section 9) as backgrounds, because two of the three are unreadable as text in one of the themes. */
  readonly ground: string;
  readonly letters: string;
}

/** Text and colours of the oil level: the word with the percentage if known. An unknown level is NA. */
export function oilLook(level: string | null, percent: number | null): OilLook {
  const share = percent === null ? '' : ` ${number(percent, 0)} %`;
  switch (level?.toUpperCase()) {
    case 'NORMAL':
      return { words: `NORMAL${share}`, ground: '#54a75b', letters: '#10140f' };
    case 'LOW':
    case 'HIGH':
      return { words: `${level.toUpperCase()}${share}`, ground: '#943b2f', letters: '#ffffff' };
    default:
      return { words: level ? `${level}${share}` : t('analytics.na'), ground: '#87CEEB', letters: '#10181d' };
  }
}
