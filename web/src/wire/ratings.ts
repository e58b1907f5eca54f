// Ratings of transformers that administrators view and edit.

/** Thermal parameters of IEC 60076-7; null if not known. */
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

/** Readings at which the indicators raise an alarm or trip, °C; null if an indicator does not. */
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
  /** Null until a rating is entered. */
  readonly rating: Rating | null;
  /** Values of the thermal model for parameters that are null. */
  readonly defaults: ThermalParameters;
}
