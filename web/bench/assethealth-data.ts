// Generated answers for asset health with the requested number of sections. They are the same at each start.
import type { CableSection, Criticality, HealthBand, MatrixRow } from '../src/wire/cable-health';

/** A pseudo-random number between 0 and 1, determined by `place`. */
const noise = (place: number) => Math.abs(Math.sin(place * 12.9898) * 43758.5453) % 1;
const round = (value: number, decimals: number) => Number(value.toFixed(decimals));
const PLACES = ['Temple', 'Autonagar', 'Kurmannapalem', 'Port', 'BHPV', 'Duvvada', 'Simhachalam', 'Pedagantyada', 'Steel Plant', 'Scindia'];
const BANDS = ['HI1', 'HI2', 'HI3', 'HI4', 'HI5'] as const;
const CIS = ['C1', 'C2', 'C3', 'C4'] as const;
/** Upper limits of the health score of each band. */
const UNTIL = [3, 5.5, 6.5, 8, Infinity] as const;
export const YEAR = 2018;

function section(at: number, of: number): CableSection {
  const feeders = Math.max(3, Math.min(24, Math.round(of / 40)));
  const feeder = Math.floor(noise(at) ** 1.4 * feeders);
  const cable = Math.floor(noise(at + 0.5) * 6) + 1;
  const isModelled = noise(at + 0.25) > 0.12;
  const km = round(0.05 + noise(at + 1) ** 2 * 2.4, 3);
  const age = round(2 + noise(at + 2) * 55, 1);
  const score = round(Math.min(10, 0.5 * Math.exp((age / 57) * (1.6 + 1.4 * noise(at + 3)))), 2);
  const ch = 1.087 * Math.max(4, score);
  const pof = round(0.000658 * (1 + ch + ch ** 2 / 2 + ch ** 3 / 6) * km, 6);
  const part = (share: number) => Math.round(share * 3_590_100 * (0.3 + noise(at + 4) ** 2 * 2.4));
  const cof = part(1);
  const band = isModelled ? (BANDS[UNTIL.findIndex((until) => score < until)] as HealthBand) : null;
  const ratio = cof / 3_590_100;
  const ci: Criticality = ratio < 0.75 ? 'C1' : ratio < 1.25 ? 'C2' : ratio < 2 ? 'C3' : 'C4';
  const angle = (feeder / feeders) * 2 * Math.PI + noise(at + 7) * 0.25;
  const out = 0.004 + (at / of) * 0.06;
  const step = (by: number): [number, number] => [83.2 + Math.cos(angle) * (out + by), 17.7 + Math.sin(angle) * (out + by) + by * (noise(at + 8) - 0.5)];
  return {
    AssetName: `F${feeder + 1} ${PLACES[feeder % PLACES.length]}`,
    AssetId: 300 + feeder,
    CableAssetName: `${isModelled ? '33' : '11'} kV cable ${cable}`,
    CableObjectId: 10_000 + at,
    Section: `S${at + 1}`,
    CriticalityIndex: isModelled ? ci : null,
    HealthIndexBand: band,
    SectionLengthKM: km,
    SectionLength: round(km * 1_000, 0),
    AgeOfCable: age,
    POF: isModelled ? pof : null,
    POFPercent: isModelled ? round((1 - Math.exp(-pof)) * 100, 4) : null,
    COF: isModelled ? cof : null,
    CoFEnvironment: isModelled ? part(0.02) : null,
    CoFFinancial: isModelled ? part(0.88) : null,
    CoFSafety: isModelled ? part(0.001) : null,
    CoFNetwork: isModelled ? part(0.099) : null,
    ConsumersPerCS: Math.round(noise(at + 5) * 120),
    ConsumersPerCable: 640,
    ConsumerPerFeeder: 2_180,
    NoOfFaults: Math.floor(noise(at + 6) * 3),
    Model: isModelled ? 'CNAIM v2.1' : 'Not modelled',
    ModelNote: isModelled ? null : 'the model has no 11 kV cable',
    RemainingLife: isModelled ? Math.max(0, Math.round(60 - age)) : null,
    HealthScore: isModelled ? score : null,
    FutureScore: null,
    Risk: isModelled ? Math.round(pof * cof) : null,
    VoltageKv: isModelled ? 33 : 11,
    Line: noise(at + 9) > 0.03 ? [step(0), step(0.0006), step(0.0012)] : null,
    Colcolor: '#9fb4c7',
    CIColor: '#9fb4c7',
    HIColor: '#9fb4c7',
    AgeDisplayColor: '#9fb4c7',
  };
}

const all = new Map<number, readonly CableSection[]>();

export function sectionsOf(count: number): readonly CableSection[] {
  const held = all.get(count) ?? Array.from({ length: count }, (_, at) => section(at, count));
  all.set(count, held);
  return held;
}

function matrix(sections: readonly CableSection[]): MatrixRow[] {
  return CIS.map((CI) => {
    const own = BANDS.map((hi) => sections.filter((row) => row.CriticalityIndex === CI && row.HealthIndexBand === hi));
    const each = BANDS.flatMap((hi, at) => {
      const rows = own[at] ?? [];
      const sum = (key: 'SectionLengthKM' | 'Risk') => round(rows.reduce((before, row) => before + (row[key] ?? 0), 0), 3);
      return [
        [hi, rows.length],
        [`${hi}Km`, sum('SectionLengthKM')],
        [`${hi}Risk`, sum('Risk')],
      ];
    });
    return { CI, ...Object.fromEntries(each) } as MatrixRow;
  });
}

function forecast(sections: readonly CableSection[], replaced: ReadonlySet<unknown>, years: number) {
  const course = (isReplaced: boolean) =>
    Array.from({ length: years }, (_, at) =>
      sections.reduce((sum, row) => sum + (row.Risk ?? 0) * (isReplaced && replaced.has(row.CableObjectId) ? 0.15 * 1.005 ** at : 1.045 ** at), 0),
    );
  return {
    years: Array.from({ length: years }, (_, at) => YEAR + 1 + at),
    doNothing: course(false),
    replaced: course(true),
    sections: sections.length,
    currency: 'INR',
    notModelled: sections.filter(({ HealthIndexBand }) => HealthIndexBand === null).length,
  };
}

const PLANT = [
  ['T1', '33 kV transformer', 4.1, 'HI2', 0.0069, 18_400_000, 24, 31],
  ['T2', '33 kV transformer', 7.2, 'HI4', 0.0311, 18_400_000, 6, 47],
  ['CB F1', 'HV primary switchgear', 2.2, 'HI1', 0.0008, 2_410_000, 38, 12],
  ['Station battery', 'Battery', null, null, null, null, null, 6],
] as const;

/** Faults of an imported register with two wrong lines. */
const IMPORT_FAULTS = [
  { line: 14, column: 'installed', what: '“1/4/97” is no date. Write it as YYYY-MM-DD.' },
  { line: 208, column: 'length_m', what: '“-12” is too small. A length is from 0.1 to 100000 m.' },
];

/** The simulated answer of the server. */
export function answer(url: URL, sent: unknown, count: number): unknown {
  const sections = sectionsOf(count);
  const call = url.pathname.replace('/api/', '');
  const body = (sent ?? {}) as { cI?: string; hI?: string; replaced?: unknown[]; years?: number };
  if (call.startsWith('map/network')) {
    return { features: [{ geometry: { type: 'Point', coordinates: [83.2, 17.7] }, properties: { kind: 'substation', name: '33/11 kV Quayside', locationId: 2768 } }] };
  }
  if (call === 'assethealth/cablehealthsubstations') {
    const years = Array.from({ length: 9 }, (_, at) => YEAR - at);
    const substations = [
      { assetPointId: 2768, assetPointName: '33/11 kV Quayside', years },
      { assetPointId: 2769, assetPointName: '33/11 kV Autonagar', years: years.slice(0, 4) },
    ];
    return { substations: url.searchParams.has('one') ? substations.slice(0, 1) : substations, defaultSubstation: 2768, defaultYear: YEAR };
  }
  if (call.startsWith('assethealth/cablehealthdatabyassetpoint')) {
    const notModelled = sections.filter(({ HealthIndexBand }) => HealthIndexBand === null).length;
    return { cableSections: sections, criticalityIndexVsHealthIndex: matrix(sections), feederVsHealthIndex: [], notModelled, bands: 'v2.1', currency: 'INR', year: YEAR, assetPointId: 2768 };
  }
  if (call === 'assethealth/cablehealthfilterdata') {
    return { cableSections: sections.filter((row) => row.HealthIndexBand && (!body.cI || row.CriticalityIndex === body.cI) && (!body.hI || row.HealthIndexBand === body.hI)) };
  }
  if (call === 'assethealth/cableriskforecast') return forecast(sections, new Set(body.replaced), body.years ?? 20);
  if (call.startsWith('assethealth/planthealth')) {
    return {
      plant: PLANT.map(([AssetName, Kind, HealthScore, HealthIndexBand, POF, COF, RemainingLife, AgeOfPlant], at) => ({
        ...{ AssetId: 900 + at, AssetName, Kind, HealthScore, HealthIndexBand, POF, COF, RemainingLife, AgeOfPlant },
        Risk: POF === null || COF === null ? null : Math.round(POF * COF),
        Model: HealthScore === null ? 'Not modelled' : 'CNAIM v2.1',
      })),
    };
  }
  if (call.startsWith('admin/cablehealth/import')) {
    const dryRun = url.searchParams.get('dryRun') === 'true';
    const faults = String(sent).includes('wrong') ? IMPORT_FAULTS : [];
    return { kind: call.split('/').at(-1), dryRun, rows: 240, added: 12, changed: 3, same: 225 - faults.length, faults };
  }
  return null;
}
