// Generated answers for the screens of reliability, demand and fault trends, and some figures. They are the same at each start.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE_MS = 5.5 * HOUR;
export const NOW = Date.UTC(2026, 10, 22, 8, 33);

/** A pseudo-random number between 0 and 1, determined by `place`. */
const noise = (place: number) => Math.abs(Math.sin(place * 12.9898) * 43758.5453) % 1;
const midnight = (ms: number) => Math.floor((ms + ZONE_MS) / DAY) * DAY - ZONE_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const dayOf = (ms: number) => new Date(ms + ZONE_MS).toISOString().slice(0, 10);
const ddmm = (day: string) => `${day.slice(8, 10)}/${day.slice(5, 7)}`;
/** The load of a feeder at an instant, kW: low at night, with two peaks. */
const load = (ms: number) => {
  const hour = ((ms + ZONE_MS) % DAY) / HOUR;
  return 900 + 420 * Math.exp(-((hour - 9) ** 2) / 8) + 800 * Math.exp(-((hour - 19.5) ** 2) / 6) + 60 * noise(ms / 900_000);
};

const indices = (by: number) => ({ saidi: 4.2149 * by, saifi: 0.083 * by, caidi: by ? 50.71 : null, caifi: by ? 1.32 : null, maifi: 0.21 * by, ctaidi: by ? 66.9 : null, asai: 1 - 0.0000976 * by });

function scores(month: string) {
  const isEmpty = month > '202611';
  return {
    ...indices(isEmpty ? 0 : 1),
    customersServed: 48_210,
    customerInterruptions: isEmpty ? 0 : 4_001,
    customerMinutes: isEmpty ? 0 : 203_200,
    customersInterrupted: isEmpty ? 0 : 3_030,
    momentaryInterruptions: isEmpty ? 0 : 5,
    outages: isEmpty ? 0 : 17,
    openOutages: isEmpty ? 0 : 1,
    majorEventDays: isEmpty ? [] : [{ day: '2026-11-08', saidi: 2.61 }],
    tMed: 1.92,
    withoutMajorEventDays: indices(0.38),
    weighting: 'customers',
    momentaryThresholdMin: 5,
    from: '',
    to: '',
    flags: isEmpty ? ['no_data'] : ['open', 'provisional'],
  };
}

function profile(month: string) {
  const [year, own] = [Number(month.slice(0, 4)), Number(month.slice(4))];
  const days = new Date(Date.UTC(year, own, 0)).getUTCDate();
  const rows = Array.from({ length: days }, (_, index) => {
    const date = `${year}-${String(own).padStart(2, '0')}-${String(index + 1).padStart(2, '0')}`;
    const isToCome = date > dayOf(NOW);
    const interruptions = index === 7 ? 9 : Math.floor(noise(index + 3) * 4);
    return { dt: ddmm(date), date, mon: own, interruptions: isToCome ? null : interruptions, duration: isToCome ? null : interruptions * 23.4 * noise(index), customerMinutes: isToCome ? null : interruptions * 9_000, saidi: isToCome ? null : 0.2, majorEventDay: index === 7 };
  });
  return { rows, flags: ['provisional'] };
}

const yearly = (year: number) => ({
  year,
  rows: Array.from({ length: 12 }, (_, index) => {
    const isToCome = year * 100 + index + 1 > 202_611;
    const by = isToCome ? null : 0.4 + noise(index + year);
    const times = (value: number) => (by === null ? null : value * by);
    return { month: index + 1, yyyymm: `${year}${String(index + 1).padStart(2, '0')}`, SAIDI: times(4.2), SAIFI: times(0.08), CAIDI: times(50), CAIFI: times(1.3), MAIFI: times(0.2), flags: isToCome ? ['no_data'] : index === 10 ? ['provisional'] : [] };
  }),
  total: { SAIDI: 38.11, SAIFI: 0.83, CAIDI: 45.9, CAIFI: 2.21, MAIFI: 2.02, flags: ['provisional'] },
  flags: ['provisional'],
});

const FEEDERS = ['F1 Temple', 'F2 Autonagar', 'F3 Kurmannapalem', 'F4 Port', 'F6 BHPV'];
const PLACES = ['33/11 kV Autonagar', '33/11 kV Simhachalam', '132/33 kV Gajuwaka', '33/11 kV Duvvada'];
const CAUSES = ['fault', 'planned', 'switching', 'load_shedding', 'upstream', 'unknown'];

function outage(id: number) {
  const started = NOW - id * 7.3 * HOUR;
  const minutes = id === 1 ? null : id % 4 === 0 ? 0.4 : 12 + 60 * noise(id);
  const isCorrected = id === 3;
  return {
    id,
    incidentId: id,
    assetId: id % 5,
    assetName: FEEDERS[id % 5],
    locationId: id % 4,
    locationName: PLACES[id % 4],
    breadCrumbName: `APDL › Visakhapatnam › ${PLACES[id % 4]}`,
    customers: 400 + Math.floor(2_000 * noise(id)),
    started: iso(started),
    ended: minutes === null ? null : iso(started + minutes * 60_000),
    minutes,
    class: minutes === null ? 'open' : minutes < 5 ? 'momentary' : 'sustained',
    cause: CAUSES[id % 6],
    countsIn: id % 6 !== 1,
    excludedBecause: id % 6 === 1 ? 'planned' : null,
    corrected: isCorrected,
    correctedBy: isCorrected ? 'L. Rao' : null,
    note: isCorrected ? 'Seen in the field: it was back earlier.' : null,
    computed: { started: iso(started), ended: minutes === null ? null : iso(started + (minutes + (isCorrected ? 9 : 0)) * 60_000), cause: 'fault' },
    majorEventDay: id === 9,
    flags: minutes === null ? ['open'] : [],
    events: ['51 E/F trip', 'CB position', 'CB position'].map((signal, index) => ({ offset: 1_000 + id * 10 + index, pointId: 5, assetName: FEEDERS[id % 5], signal, value: index, changeTo: ['ACTIVE', 'OPEN', 'CLOSED'][index], source: iso(started + (index === 2 ? (minutes ?? 0) * 60_000 : index * 62)) })),
  };
}

const BANDS = ['night', 'morning', 'day', 'evening'];
const peakRow = (timeInterval: string, index: number) => ({ id: 7, name: 'F2 Autonagar', readingFrom: 'F2 Autonagar', timeInterval, peakDemand: timeInterval === 'evening' ? null : 1_180.4 + index * 91.37, reportedDateTime: timeInterval === 'evening' ? null : iso(midnight(NOW) + index * 3.5 * HOUR), blockMinutes: 15, coverage: timeInterval === 'evening' ? 0 : 98.2, flags: timeInterval === 'evening' ? ['no_data'] : [] });
const peaks = (intervals: readonly string[]) => ({ unit: 'kW', blockMinutes: 15, coverage: 71.3, flags: ['partial'], missing: [], rows: intervals.map(peakRow) });

function demand(from: number, to: number) {
  const step = 15 * 60_000;
  const first = Math.ceil(from / step) * step;
  const rows = Array.from({ length: Math.max(0, Math.min(3_000, Math.floor((Math.min(to, NOW) - first) / step))) }, (_, index) => {
    const timeMs = first + index * step;
    const isGap = index > 30 && index < 36;
    return { timeMs, time: iso(timeMs), hour: 0, demand: isGap ? null : load(timeMs), coverage: isGap ? 0 : 100 };
  });
  return { unit: 'kW', blockMinutes: 15, timeZone: 'Asia/Kolkata', coverage: 97.9, flags: ['partial'], missing: [], rows };
}

function forecast(days: number) {
  const first = Math.floor(NOW / HOUR) * HOUR - days * DAY;
  const rows = Array.from({ length: days * 24 + 48 }, (_, index) => {
    const timeMs = first + index * HOUR;
    const isToCome = timeMs >= NOW - HOUR;
    const actual = isToCome ? null : load(timeMs);
    const foreseen = load(timeMs + HOUR / 2) * (0.96 + 0.08 * noise(index));
    const spread = 90 + (isToCome ? 3 * (index - days * 24) : 0);
    return { Dt: iso(timeMs), timeMs, actual, forecast: foreseen, q10: foreseen - spread, q90: foreseen + spread, naive: load(timeMs - 7 * DAY) * (0.9 + 0.2 * noise(index + 9)), mape: actual === null ? null : (Math.abs(actual - foreseen) / actual) * 100, type: isToCome ? 'forecast' : 'actual' };
  });
  return { unit: 'kW', mape: 5.1, wape: 4.8, used: 160, skipped: 3, skill: 0.41, mapeNaive: 8, method: 'mstl_ets', issuedAt: iso(NOW - HOUR), coverage: 100, flags: ['backcast'], rows };
}

function faults(from: number, to: number) {
  const types = ['LG', 'LL', 'LLG', 'LLL', 'Not known'];
  const rows = [];
  for (let at = midnight(from); at < to; at += DAY) {
    const day = dayOf(at);
    for (let index = 0; index < 5; index += 1) {
      const times = Math.floor(noise(at / DAY + index * 7) * 3.2) - (index > 1 ? 1 : 0);
      if (times <= 0) continue;
      const isOpen = at > NOW - DAY && index === 0;
      rows.push({ Dt: day, dt: ddmm(day), FaultType: types[index], assetId: index, assetName: FEEDERS[index], locationId: index % 4, locationName: PLACES[index % 4], NoOfTimes: times, Duration: isOpen ? null : times * 40 * noise(at / DAY + index), open: isOpen ? 1 : 0 });
    }
  }
  return { rows, open: 1, cut: false, from: iso(from), to: iso(to), timeZone: 'Asia/Kolkata', flags: ['open'] };
}

const EMPTY = { rows: [], cut: false, flags: ['no_data'], coverage: 0, missing: [], unit: 'kW', blockMinutes: 15 };

/** The simulated answer of the server. */
export function answer(url: URL, isEmpty: boolean): unknown {
  const [call, , id, last] = url.pathname.replace('/api/analytics/', '').split('/');
  const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
  if (isEmpty && call !== 'getreliabilityscores' && call !== 'getreliabilityscoresyearly' && call !== 'peakdemandforecastvsactual') return EMPTY;
  const made: Readonly<Record<string, () => unknown>> = {
    getreliabilityscores: () => scores(isEmpty ? '202612' : (last ?? '')),
    reliabilityprofile: () => profile(last ?? '202611'),
    getreliabilityscoresyearly: () => yearly(Number(url.searchParams.get('year'))),
    outages: () => ({ rows: Array.from({ length: 24 }, (_, index) => outage(index + 1)), cut: false }),
    outage: () => outage(Number(url.pathname.split('/').at(-1))),
    getdemandovertimegraph: () => demand(from ?? NOW - DAY, to ?? NOW),
    peakdemandprofiledatabyid: () => peaks(BANDS),
    getpeakdemandtable: () => peaks(['today', ...BANDS, 'month', 'year']),
    peakdemandforecastvsactual: () => (isEmpty ? { ...EMPTY, method: null } : forecast(Number(last ?? id))),
    faulttypesovertime: () => faults(from ?? NOW - 30 * DAY, to ?? NOW),
  };
  return made[call ?? '']?.() ?? null;
}
