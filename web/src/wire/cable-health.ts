// Requests and checked answers: health of cables and plant.
import * as v from 'valibot';
import { asked, Maybe } from './analysis-energy';
import { checked, type Asking } from './history';
import type { Position } from './monitoring';
import { getText, postQuestion, postText } from './rest';

const Text = v.nullish(v.string(), null);
/** Some registers use numbers as names of sections. */
const Name = v.pipe(v.nullish(v.union([v.string(), v.number()]), ''), v.transform(String));
/** A required count. An answer without it is invalid: absence does not mean 0. */
const Count = v.number();
const Money = { currency: v.nullish(v.string(), ''), priceBase: v.nullish(v.string(), '') };

const HealthBand = v.picklist(['HI1', 'HI2', 'HI3', 'HI4', 'HI5']);
export type HealthBand = v.InferOutput<typeof HealthBand>;
const Criticality = v.picklist(['C1', 'C2', 'C3', 'C4']);
export type Criticality = v.InferOutput<typeof Criticality>;

const CableSection = v.object({
  /** Name of the feeder. */
  AssetName: v.string(),
  AssetId: Maybe,
  CableAssetName: Name,
  CableObjectId: v.union([v.number(), v.string()]),
  Section: Name,
  CriticalityIndex: v.nullish(Criticality, null),
  HealthIndexBand: v.nullish(HealthBand, null),
  SectionLengthKM: Maybe,
  /** In metres. */
  SectionLength: Maybe,
  /** In years. */
  AgeOfCable: Maybe,
  /** Expected failures of the section in the year; null if the section is not modelled. */
  POF: Maybe,
  /** Probability of at least one failure in the year, percent. */
  POFPercent: Maybe,
  /** Cost of a failure in the answer's currency, followed by its parts. */
  COF: Maybe,
  CoFEnvironment: Maybe,
  CoFFinancial: Maybe,
  CoFSafety: Maybe,
  CoFNetwork: Maybe,
  ConsumersPerCS: Maybe,
  ConsumersPerCable: Maybe,
  ConsumerPerFeeder: Maybe,
  NoOfFaults: Maybe,
  Model: Text,
  /** Why the section is not modelled. */
  ModelNote: Text,
  /** In years. */
  RemainingLife: Maybe,
  HealthScore: Maybe,
  FutureScore: Maybe,
  /** Expected cost of failures in the year. */
  Risk: Maybe,
  VoltageKv: Maybe,
  Line: v.nullish(v.array(v.custom<Position>((at) => Array.isArray(at) && at.length >= 2 && at.every(Number.isFinite))), null),
  Colcolor: Text,
  CIColor: Text,
  HIColor: Text,
  AgeDisplayColor: Text,
});
export type CableSection = v.InferOutput<typeof CableSection>;
export type SectionId = CableSection['CableObjectId'];

const MatrixRow = v.object({
  CI: Criticality,
  ...{ HI1: Count, HI2: Count, HI3: Count, HI4: Count, HI5: Count },
  ...{ HI1Km: Maybe, HI2Km: Maybe, HI3Km: Maybe, HI4Km: Maybe, HI5Km: Maybe },
  ...{ HI1Risk: Maybe, HI2Risk: Maybe, HI3Risk: Maybe, HI4Risk: Maybe, HI5Risk: Maybe },
});
export type MatrixRow = v.InferOutput<typeof MatrixRow>;

export const CableHealth = v.object({
  cableSections: v.array(CableSection),
  criticalityIndexVsHealthIndex: v.array(MatrixRow),
  notModelled: Count,
  bands: Text,
  ...Money,
  year: v.number(),
  assetPointId: v.number(),
});
export type CableHealth = v.InferOutput<typeof CableHealth>;

export const HealthSubstations = v.object({
  substations: v.array(v.object({ assetPointId: v.number(), assetPointName: v.string(), years: v.array(v.number()) })),
  defaultSubstation: Maybe,
  defaultYear: Maybe,
});
export type HealthSubstations = v.InferOutput<typeof HealthSubstations>;

/** Size and cost of a list of replacements. The cost is null if no cost per km is configured. */
const ReplacementCost = v.object({ sections: Count, km: v.number(), cost: Maybe });
export type ReplacementCost = v.InferOutput<typeof ReplacementCost>;

export const RiskForecast = v.object({
  years: v.array(v.number()),
  /** Expected cost of each year without replacements. */
  doNothing: v.array(v.number()),
  replaced: v.array(v.number()),
  /** Expected cost of each year with the second list of replacements; null if there is no second list. */
  compared: v.nullish(v.array(v.number()), null),
  replacedCost: v.nullish(ReplacementCost, null),
  comparedCost: v.nullish(ReplacementCost, null),
  sections: Count,
  ...Money,
  notModelled: Count,
});
export type RiskForecast = v.InferOutput<typeof RiskForecast>;

const Plant = v.object({
  AssetId: v.union([v.number(), v.string()]),
  AssetName: v.string(),
  Kind: Text,
  /** The part that decides the health of a large transformer. */
  Part: Text,
  HealthScore: Maybe,
  HealthIndexBand: v.nullish(HealthBand, null),
  POF: Maybe,
  COF: Maybe,
  Risk: Maybe,
  RemainingLife: Maybe,
  AgeOfPlant: Maybe,
  Model: Text,
  ModelNote: Text,
});
export type Plant = v.InferOutput<typeof Plant>;
export const PlantHealth = v.object({ plant: v.array(Plant), ...Money });

export const HEALTH_IMPORTS = ['register', 'condition', 'faults', 'plant'] as const;
export type HealthImportKind = (typeof HEALTH_IMPORTS)[number];

const Fault = v.object({ line: Maybe, column: v.nullish(v.union([v.string(), v.number()]), null), what: v.string() });
export type ImportFault = v.InferOutput<typeof Fault>;
const Faulty = v.object({ faults: v.array(Fault), faultsTotal: Maybe });
export const HealthImported = v.object({
  kind: v.string(),
  dryRun: v.boolean(),
  rows: Count,
  added: Count,
  changed: Count,
  same: Count,
  faults: v.nullish(v.array(Fault), []),
  /** Total number of faults if `faults` has only some of them, else null. */
  faultsTotal: Maybe,
});
export type HealthImported = v.InferOutput<typeof HealthImported>;

export const getHealthSubstations = (token: string, asking?: Asking) =>
  asked(HealthSubstations, token, 'assethealth/cablehealthsubstations', asking);

export const getCableHealth = (token: string, substation: number, year: number, asking?: Asking) =>
  asked(CableHealth, token, `assethealth/cablehealthdatabyassetpoint/${substation}/${year}`, asking);

export const getPlantHealth = (token: string, substation: number, year: number, asking?: Asking) =>
  asked(PlantHealth, token, `assethealth/planthealth/${substation}/${year}`, asking);

/** A cell of the risk matrix. Null selects a whole row or column. */
export interface Cell {
  readonly ci: Criticality | null;
  readonly hi: HealthBand | null;
}

export async function postForecast(
  token: string,
  substation: number,
  year: number,
  years: number,
  replaced: readonly SectionId[],
  compared: readonly SectionId[],
  stop?: AbortSignal,
): Promise<RiskForecast> {
  const body = { assetpointId: substation, healthYear: year, years, replaced, compared: compared.length > 0 ? compared : null };
  return checked(RiskForecast, (await postQuestion<unknown>(token, 'assethealth/cableriskforecast', body, stop)).result);
}

export const getTemplate = (token: string, kind: HealthImportKind) => getText(token, `admin/cablehealth/template/${kind}`);

export async function postImport(token: string, kind: HealthImportKind, text: Blob, isDryRun: boolean): Promise<HealthImported> {
  const { result } = await postText<unknown>(token, `admin/cablehealth/import/${kind}?dryRun=${isDryRun}`, text, 'text/csv');
  return checked(HealthImported, result);
}

/** The faults of a rejected file, and their total number. */
export function faultsIn(result: unknown): { readonly faults: readonly ImportFault[]; readonly total: number } {
  const read = v.safeParse(Faulty, result);
  if (!read.success) return { faults: [], total: 0 };
  const { faults, faultsTotal } = read.output;
  return { faults, total: Math.max(faultsTotal ?? 0, faults.length) };
}
