// Ratings of transformers as administrators see and enter them.

/** Thermal parameters of IEC 60076-7; null where they are not known. */
export interface ThermalParameters {
  readonly lossRatio: number | null;
  readonly oilRiseK: number | null;
  readonly gradientK: number | null;
  readonly oilExponent: number | null;
  readonly windingExponent: number | null;
  readonly oilMinutes: number | null;
  readonly windingMinutes: number | null;
  readonly k11: number | null;
  readonly k21: number | null;
  readonly k22: number | null;
}

/** At which readings the indicators warn and trip, °C; null where they do not. */
export interface IndicatorLimits {
  readonly oilAlarmC: number | null;
  readonly oilTripC: number | null;
  readonly windingAlarmC: number | null;
  readonly windingTripC: number | null;
}

export interface Rating {
  readonly ratedMva: number;
  readonly cooling: string;
  readonly paper: string;
  readonly regime: string;
  readonly parameters: ThermalParameters;
  readonly limits: IndicatorLimits;
  readonly usedLifeYears: number;
}

export interface TransformerRating {
  readonly assetId: number;
  readonly assetName: string;
  readonly locationId: number;
  readonly locationName: string;
  /** None while nobody has entered anything. */
  readonly rating: Rating | null;
  /** What the thermal model takes for parameters that are null. */
  readonly defaults: ThermalParameters;
}
