// Generated answers of the server for the profile screens. They look plausible and are the same each time.

/** 03 Nov 2026, 14:03 in Kolkata; epoch ms. */
export const NOW = Date.UTC(2026, 10, 3, 8, 33, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** A pseudo-random number from 0 to 1, determined by an instant and a series. */
function noise(at: number, lane: number): number {
  const value = Math.sin(at * 12.9898e-4 + lane * 78.233) * 43_758.5453;
  return value - Math.floor(value);
}

const dayCurve = (at: number) => {
  const hour = ((at + 5.5 * 3_600_000) % DAY) / 3_600_000;
  return 0.45 + 0.25 * Math.exp(-((hour - 10.5) ** 2) / 8) + 0.5 * Math.exp(-((hour - 19.3) ** 2) / 5) + 0.06 * Math.sin(at / (6 * DAY));
};

interface Lane {
  readonly code: string;
  readonly name: string;
  readonly phase: 'R' | 'Y' | 'B' | null;
  readonly unit: string;
  readonly decimals: number;
  readonly value: (at: number, lane: number) => number;
  readonly jitter: number;
}

const phases = ['R', 'Y', 'B'] as const;
const three = (
  code: string,
  name: string,
  unit: string,
  decimals: number,
  jitter: number,
  value: (at: number, lane: number) => number,
): Lane[] =>
  phases.map((phase, lane) => ({
    code: code + 'ryb'[lane],
    name: `${name} ${phase}`,
    phase,
    unit,
    decimals,
    jitter,
    value: (at) => value(at, lane),
  }));

const SINCE = Date.UTC(2026, 0, 1);
const energy = (at: number) => ((at - SINCE) / 3_600_000) * 0.62 + 2_410;
const LANES: Record<string, Lane[]> = {
  voltage: three('V', 'Voltage', 'kV', 2, 0.015, (at, lane) => 6.48 - 0.18 * dayCurve(at) + [0, -0.025, 0.03][lane]!),
  current: three('I', 'Current', 'A', 0, 4, (at, lane) => 130 * dayCurve(at) * [1, 0.97, 1.03][lane]!),
  frequency: [
    {
      code: 'Hz',
      name: 'Frequency',
      phase: null,
      unit: 'Hz',
      decimals: 2,
      jitter: 0.04,
      value: (at) => 49.98 + 0.03 * Math.sin(at / 2.1e6),
    },
  ],
  reactive: three('Q', 'Reactive power', 'MVAr', 3, 0.01, (at, lane) => 0.22 * dayCurve(at) * [1, 0.96, 1.05][lane]!),
  apparent: three('S', 'Apparent power', 'MVA', 3, 0.02, (at, lane) => 0.82 * dayCurve(at) * [1, 0.97, 1.03][lane]!),
  active: three('P', 'Active power', 'MW', 3, 0.02, (at, lane) => 0.78 * dayCurve(at) * [1, 0.97, 1.03][lane]!),
  accumulated: three('EImp', 'Accumulated energy', 'MWh', 1, 0, (at, lane) => energy(at) / 3 + lane * 14),
  energy: three('EImp', 'Energy', 'MWh', 2, 0.03, (at, lane) => 0.7 * dayCurve(at) * [1, 0.97, 1.03][lane]!),
  register: [
    { code: 'EImp', name: 'Active import', phase: null, unit: 'MWh', decimals: 1, jitter: 0, value: energy },
    { code: 'EExp', name: 'Active export', phase: null, unit: 'MWh', decimals: 1, jitter: 0, value: (at) => energy(at) * 0.06 + 2_300 },
    {
      code: 'RImp',
      name: 'Reactive energy imported',
      phase: null,
      unit: 'MVArh',
      decimals: 1,
      jitter: 0,
      value: (at) => energy(at) * 0.27,
    },
    {
      code: 'RExp',
      name: 'Reactive energy exported',
      phase: null,
      unit: 'MVArh',
      decimals: 1,
      jitter: 0,
      value: (at) => energy(at) * 0.24,
    },
  ],
};

const SOURCES = [
  ['raw', 0],
  ['1m', MINUTE],
  ['10m', 10 * MINUTE],
  ['1h', 60 * MINUTE],
  ['1d', DAY],
] as const;

/** Whether values are missing: for 36 minutes today, and for two days in October. */
const missing = (at: number) =>
  (at > NOW - 5 * 3_600_000 && at < NOW - 5 * 3_600_000 + 36 * MINUTE) || (at > Date.UTC(2026, 9, 14) && at < Date.UTC(2026, 9, 16));

export function history(measure: string, from: number, to: number, width: number, isEmpty: boolean) {
  const [source, own] = SOURCES.find(([, bucket]) => bucket > 0 && (to - from) / bucket <= width * 1.5) ?? SOURCES[4];
  const bucketMs = Math.max(own, MINUTE) * Math.ceil((to - from) / own / width);
  const times: number[] = [];
  for (let at = Math.floor(from / bucketMs) * bucketMs; at < Math.min(to, NOW); at += bucketMs) times.push(at);
  const isGone = (at: number) => isEmpty || missing(at);
  const parts = Math.min(24, Math.max(1, Math.round(bucketMs / (30 * MINUTE))));
  const inside = Array.from({ length: parts }, (_, part) => ((part + 0.5) / parts) * bucketMs);
  const series = (LANES[measure] ?? []).map(({ code, name, phase, unit, decimals, jitter, value }, lane) => {
    const cells = times.map((at) =>
      isGone(at) ? null : inside.map((part) => value(at + part, lane) + jitter * (noise(at + part, lane) - 0.5)),
    );
    const of = (make: (cell: number[], at: number) => number) => cells.map((cell, index) => (cell ? make(cell, times[index]!) : null));
    return {
      code,
      name,
      phase,
      unit,
      decimals,
      mean: of((cell) => cell.reduce((sum, held) => sum + held, 0) / cell.length),
      min: of((cell, at) => Math.min(...cell) - jitter * noise(at, lane + 5)),
      max: of((cell, at) => Math.max(...cell) + jitter * noise(at, lane + 9)),
      quality: times.map((at) => (isGone(at) ? null : at > NOW - 8 * 3_600_000 && at < NOW - 7 * 3_600_000 ? 2 : 0)),
    };
  });
  return { assetId: 7, assetName: 'F2 Autonagar', measure, timeZone: 'Asia/Kolkata', from, to, bucketMs, source, times, series };
}

const at = new Date(NOW - 1_000).toISOString();
const row = (
  parameter: string,
  unit: string,
  decimals: number,
  r: number | null,
  y: number | null,
  b: number | null,
  total: number | null,
  dayMin: number | null,
  dayMax: number | null,
) => ({ parameter, unit, decimals, r, y, b, total, dayMin, dayMax, quality: 0, reportedDateTime: at, ageLimitMs: 60_000_000 });

export function readings() {
  return [
    row('Voltage L-N', 'kV', 2, 6.34, 6.32, 6.37, null, 6.18, 6.41),
    row('Voltage L-L', 'kV', 2, 10.97, 10.99, 11.01, null, 10.7, 11.1),
    row('Current', 'A', 0, 96, 94, 97, null, 31, 142),
    row('Active power', 'MW', 3, 0.571, 0.558, 0.582, 1.711, 0.18, 0.84),
    row('Reactive power', 'MVAr', 3, 0.208, 0.203, 0.212, 0.623, 0.06, 0.3),
    row('Power factor', '', 3, 0.94, 0.94, 0.939, 0.94, 0.91, 0.98),
    row('Frequency', 'Hz', 2, null, null, null, 49.98, 49.9, 50.06),
    row('Angle of voltage', '°', 1, 0, -120.1, 119.8, null, null, null),
    row('Angle of current', '°', 1, -20, -141.2, 98.9, null, null, null),
    {
      ...row('Unbalance (VUF, V2/V1)', '%', 2, null, null, null, 0.42, 0.31, 0.58),
      quality: 3,
      reportedDateTime: new Date(NOW - 400_000).toISOString(),
    },
  ];
}

function loadings(months: number, isEmpty: boolean) {
  const to = NOW;
  const from = to - (months === 0 ? 500 : months * 30.5) * DAY;
  const rows = [];
  for (let time = from; !isEmpty && time < to; time += (to - from) / 1_900) {
    if (missing(time)) continue;
    const load = dayCurve(time);
    const oil = 36 + 28 * load + noise(time, 1);
    rows.push({
      ReportedDateTime: new Date(time).toISOString(),
      OTI: oil,
      WTI: oil + 14 * load ** 1.6,
      AmbT: 28,
      LoadMult: load,
      VApres: 6.4 * load,
      VA2hr: 9.4 - 1.2 * load,
      VAavl: 8.4 - 0.8 * load,
      VAbase: 8,
      unit: 'MVA',
      UsedLifeInYears: 0.412 + ((time - from) / DAY) * 1e-4,
    });
  }
  return rows;
}

/** The simulated `result` of a call. */
export function answer(url: URL, isEmpty: boolean): unknown {
  const { pathname, searchParams } = url;
  if (pathname.includes('/history/asset/'))
    return history(
      searchParams.get('measure') ?? '',
      Date.parse(searchParams.get('from') ?? ''),
      Date.parse(searchParams.get('to') ?? ''),
      Number(searchParams.get('width')),
      isEmpty,
    );
  if (pathname.includes('/phasordiagram/'))
    return {
      vaph: 0,
      varms: 6.34,
      vbph: -120.1,
      vbrms: 6.32,
      vcph: 119.8,
      vcrms: 6.37,
      iaph: -20,
      iarms: 96,
      ibph: -141.2,
      ibrms: 94,
      icph: 98.9,
      icrms: 97,
      sequence: 'R-Y-B',
      vufPercent: 0.42,
      reportedDateTime: at,
      quality: 0,
      ageLimitMs: 60_000_000,
    };
  if (pathname.includes('/assetpermissibleloadnew/')) return loadings(Number(pathname.split('/').at(-1)), isEmpty);
  return isEmpty ? [] : readings();
}
