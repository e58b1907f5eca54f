// Conversion between a rating and its form of text fields. An empty field is unknown, not 0. Pure.
import type { IndicatorLimits, Rating, ThermalParameters } from '../../wire/ratings';

export type Draft = Readonly<Record<string, string>>;

const PARAMETERS = [
  'lossRatio',
  'oilRiseK',
  'gradientK',
  'oilExponent',
  'windingExponent',
  'oilMinutes',
  'windingMinutes',
  'k11',
  'k21',
  'k22',
] as const satisfies readonly (keyof ThermalParameters)[];
const LIMITS = ['oilAlarmC', 'oilTripC', 'windingAlarmC', 'windingTripC'] as const satisfies readonly (keyof IndicatorLimits)[];

const text = (value: number | null | undefined) => (value == null ? '' : String(value));

/** The form of a rating. Default for an unrated transformer: the most common values. */
export function draftOf(rating: Rating | null): Draft {
  return {
    ratedMva: text(rating?.ratedMva),
    cooling: rating?.cooling ?? 'onan',
    paper: rating?.paper ?? 'normal',
    regime: rating?.regime ?? 'normal_cyclic',
    usedLifeYears: text(rating?.usedLifeYears),
    ...Object.fromEntries(PARAMETERS.map((key) => [key, text(rating?.parameters[key])])),
    ...Object.fromEntries(LIMITS.map((key) => [key, text(rating?.limits[key])])),
  };
}

const optional = (written: string | undefined) => (written === undefined || written.trim() === '' ? null : Number(written));

/** The rating in the form; null without rated power, on which all results depend. */
export function readDraft(draft: Draft): Rating | null {
  const ratedMva = optional(draft.ratedMva);
  if (ratedMva === null) return null;
  const read = <K extends string>(keys: readonly K[]) =>
    Object.fromEntries(keys.map((key) => [key, optional(draft[key])])) as Record<K, number | null>;
  return {
    ratedMva,
    cooling: draft.cooling ?? '',
    paper: draft.paper ?? '',
    regime: draft.regime ?? '',
    parameters: read(PARAMETERS),
    limits: read(LIMITS),
    usedLifeYears: optional(draft.usedLifeYears) ?? 0,
  };
}
