// Random sections for tests, reproducible by a seed.
import type { CableSection } from '../../wire/cable-health';
import { CRITICALITIES, HEALTH_BANDS } from './sections';

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function madeUp(id: number, more: Partial<CableSection> = {}): CableSection {
  return {
    ...{ AssetName: 'F1', AssetId: 1, CableAssetName: 'Cable 1', CableObjectId: id, Section: `S${id}` },
    ...{ CriticalityIndex: 'C1', HealthIndexBand: 'HI1', HealthScore: 1, FutureScore: null, Model: 'CNAIM v2.1', ModelNote: null },
    ...{ SectionLengthKM: 1, SectionLength: 1_000, AgeOfCable: 10, RemainingLife: 50, POF: 0.01, POFPercent: 0.995, VoltageKv: 33 },
    ...{ COF: 100, CoFEnvironment: 10, CoFFinancial: 70, CoFSafety: 5, CoFNetwork: 15, Risk: 1, NoOfFaults: 0 },
    ...{ ConsumersPerCS: 1, ConsumersPerCable: 2, ConsumerPerFeeder: 3, Line: null },
    ...{ Colcolor: null, CIColor: null, HIColor: null, AgeDisplayColor: null },
    ...more,
  };
}

export const UNMODELLED = {
  ...{ CriticalityIndex: null, HealthIndexBand: null, HealthScore: null, POF: null, POFPercent: null, COF: null, Risk: null },
  ...{ Model: 'Not modelled', ModelNote: 'the model has no 11 kV cable' },
} as const;

export function madeUpMany(next: () => number, count: number): readonly CableSection[] {
  const one = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T;
  return Array.from({ length: count }, (_, id) =>
    madeUp(id, {
      AssetName: one(['F1', 'F2', 'F10', 'F3']),
      CableAssetName: `Cable ${Math.floor(next() * 5)}`,
      CriticalityIndex: one(CRITICALITIES),
      HealthIndexBand: one(HEALTH_BANDS),
      AgeOfCable: next() < 0.1 ? null : Math.floor(next() * 8),
      SectionLengthKM: next() < 0.05 ? null : Math.round(next() * 30) / 10,
      POFPercent: Math.round(next() * 150) / 10,
      COF: next() < 0.05 ? null : Math.round(next() * 1_000),
      ...(next() < 0.2 ? UNMODELLED : {}),
    }),
  );
}
