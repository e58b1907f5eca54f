// Health of cables and plant as they are served: asked for here, and checked.
import * as v from 'valibot';
import { asked, Maybe } from './analysis-energy';
import { checked, type Asking } from './history';
import type { Position } from './monitoring';
import { getText, post, postText } from './rest';

const Text = v.nullish(v.string(), null);
/** Names of sections are numbers in some registers. */
const Name = v.pipe(v.nullish(v.union([v.string(), v.number()]), ''), v.transform(String));
/** A count is there or the answer is bent: absence is no 0. */
const Count = v.number();
const Money = { currency: v.nullish(v.string(), ''), priceBase: v.nullish(v.string(), '') };

const HealthBand = v.picklist(['HI1', 'HI2', 'HI3', 'HI4', 'HI5']);
export type HealthBand = v.InferOutput<typeof HealthBand>;
const Criticality = v.picklist(['C1', 'C2', 'C3', 'C4']);
export type Criticality = v.InferOutput<typeof Criticality>;

const CableSection = v.object({
  /** The feeder. */
  AssetName: v.string(),
  AssetId: Maybe,
  CableAssetName: Name,
  CableObjectId: v.union([v.number(), v.string()]),
  Section: Name,
  CriticalityIndex: v.nullish(Criticality, null),
  HealthIndexBand: v.nullish(HealthBand, null),
  SectionLengthKM: Maybe,
  /** Metres. */
  SectionLength: Maybe,
  /** Years. */
  AgeOfCable: Maybe,
  /** Failures of the section expected in the year; null where it is not modelled. */
  POF: Maybe,
  /** Probability of at least one in the year, percent. */
  POFPercent: Maybe,
  /** Cost of a failure, and its parts, in the currency of the answer. */
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
  /** Why it is not modelled. */
  ModelNote: Text,
  /** Years. */
  RemainingLife: Maybe,
  HealthScore: Maybe,
  FutureScore: Maybe,
  /** Expected cost a year. */
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

/** What a list of replacements is, and costs; no cost where nobody has said what a km does. */
const ReplacementCost = v.object({ sections: Count, km: v.number(), cost: Maybe });
export type ReplacementCost = v.InferOutput<typeof ReplacementCost>;

export const RiskForecast = v.object({
  years: v.array(v.number()),
  /** Expected cost of each year. */
  doNothing: v.array(v.number()),
  replaced: v.array(v.number()),
  /** Of the second list; none where there is none. */
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
  /** Of a large transformer the part that decides. */
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
  /** All there are, of which some are told; none where that is all. */
  faultsTotal: Maybe,
});
export type HealthImported = v.InferOutput<typeof HealthImported>;

export const getHealthSubstations = (token: string, asking?: Asking) =>
  asked(HealthSubstations, token, 'assethealth/cablehealthsubstations', asking);

export const getCableHealth = (token: string, substation: number, year: number, asking?: Asking) =>
  asked(CableHealth, token, `assethealth/cablehealthdatabyassetpoint/${substation}/${year}`, asking);

export const getPlantHealth = (token: string, substation: number, year: number, asking?: Asking) =>
  asked(PlantHealth, token, `assethealth/planthealth/${substation}/${year}`, asking);

/** A cell of the matrix; null is a whole row or column. */
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
): Promise<RiskForecast> {
  const body = { assetpointId: substation, healthYear: year, years, replaced, compared: compared.length > 0 ? compared : null };
  return checked(RiskForecast, (await post<unknown>(token, 'assethealth/cableriskforecast', body)).result);
}

export const getTemplate = (token: string, kind: HealthImportKind) => getText(token, `admin/cablehealth/template/${kind}`);

export async function postImport(token: string, kind: HealthImportKind, text: Blob, isDryRun: boolean): Promise<HealthImported> {
  const { result } = await postText<unknown>(token, `admin/cablehealth/import/${kind}?dryRun=${isDryRun}`, text, 'text/csv');
  return checked(HealthImported, result);
}

/** What was wrong with a file, in the refusal of it, and how much there is of it in all. */
export function faultsIn(result: unknown): { readonly faults: readonly ImportFault[]; readonly total: number } {
  const read = v.safeParse(Faulty, result);
  if (!read.success) return { faults: [], total: 0 };
  const { faults, faultsTotal } = read.output;
  return { faults, total: Math.max(faultsTotal ?? 0, faults.length) };
}
