// The screens of reliability, demand and fault trends with generated answers, for visual review: ?screen=reliability|demand|faults|pictures,
// &theme=light, &fail=1, &empty=1, &slow=1.
import '@fontsource-variable/inter';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { bars } from '../src/charts/bars';
import { gaugeHeight, gauges } from '../src/charts/gauge';
import { Plot } from '../src/charts/Plot';
import { xy } from '../src/charts/xy';
import { Demand } from '../src/features/analysis/Demand';
import { FaultTrends } from '../src/features/analysis/FaultTrends';
import { Reliability } from '../src/features/analysis/Reliability';
import type { ViewProps } from '../src/features/analysis/view';
import { ServerClock } from '../src/live/clock';
import type { Connection } from '../src/live/connection';
import { Feeds } from '../src/live/feed';
import { LiveContext } from '../src/live/live';
import { LiveStore } from '../src/live/store';
import '../src/ui/tokens.css';
import '../src/ui/app.css';
import '../src/ui/shell.css';
import '../src/ui/monitoring.css';
import { answer, NOW } from './analysis-data';

const asked = new URLSearchParams(location.search);
document.documentElement.dataset.theme = asked.get('theme') ?? 'dark';
let fails = asked.has('fail');
Object.assign(window, { failing: (now: boolean) => (fails = now) });

window.fetch = async (input, init) => {
  const url = new URL(String(input), location.href);
  if (asked.has('slow')) await new Promise((wake) => setTimeout(wake, 3_000));
  init?.signal?.throwIfAborted();
  if (fails) return Response.json({ statusCode: 503, message: 'The history is not available just now.', result: null }, { status: 503 });
  if (init?.method === 'PUT') return Response.json({ statusCode: 409, message: 'Somebody else has corrected this outage meanwhile. Look at it again.', result: null }, { status: 409 });
  return Response.json({ statusCode: 200, message: '', result: answer(url, asked.has('empty')) });
};

const clock = new ServerClock();
clock.beat(NOW);
const up = { up: true, since: null };
const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;

const level = asked.get('level') ?? 'asset';
const props = {
  token: 'none',
  zone: 'Asia/Kolkata',
  node: { level, id: 7, name: level === 'asset' ? 'F2 Autonagar' : 'Visakhapatnam', assetType: 1, location: 3 },
  login: { canOperate: !asked.has('viewer') },
  now: () => NOW,
} as unknown as ViewProps;

const hours = Array.from({ length: 25 }, (_, hour) => hour);
const wave = (hour: number) => 60 + 40 * Math.sin(hour / 4);
const inverse = (pickup: number, tms: number) => Array.from({ length: 60 }, (_, index) => pickup * 1.05 * 1.09 ** index).map((x) => ({ x, y: (tms * 0.14) / ((x / pickup) ** 0.02 - 1) }));
const PICTURES = [
  <Plot key="xy" title="Protection" subject="F2" zone="UTC" height={300} figure={xy({
    head: 'Curve',
    x: { name: 'Current', unit: 'A', isLogarithmic: true, decimals: 0 },
    y: { name: 'Time', unit: 's', isLogarithmic: true },
    series: [
      { name: '51', as: 'line', colour: 0, points: inverse(200, 0.3) },
      { name: '51N', as: 'line', colour: 2, dash: [6, 3], points: inverse(40, 0.2) },
      { name: 'Faults', as: 'points', colour: 3, points: [{ x: 640, y: 1.9, note: 'LG, 02 Nov 2026 14:00' }, { x: 2_400, y: 0.31 }] },
    ],
    marks: [{ name: '51 pickup', axis: 'x', value: 200 }],
  })} />,
  <Plot key="hours" title="Demand by hour" subject="F2" zone="UTC" height={220} figure={xy({
    head: 'Line',
    x: { name: 'Hour', unit: '', from: 0, to: 24, decimals: 0 },
    y: { name: 'Demand', unit: 'kW', fromZero: true, decimals: 1 },
    series: [
      { name: 'least to most', as: 'band', colour: 0, points: hours.map((x) => ({ x, y: wave(x) + 20, low: wave(x) - 25 })) },
      { name: 'mean', as: 'line', colour: 0, points: hours.map((x) => ({ x, y: wave(x) })) },
    ],
  })} />,
  <Plot key="gauges" title="Temperatures" subject="T1" zone="UTC" height={gaugeHeight(4)} figure={gauges(
    [
      { name: 'WTI', unit: '°C', value: 98.4, from: 0, to: 150, warn: 95, alarm: 105 },
      { name: 'OTI', unit: '°C', value: 61.2, from: 0, to: 150, warn: 85, alarm: 95 },
      { name: 'Ambient', unit: '°C', value: 31, from: -20, to: 60, doubt: '4 min old' },
      { name: 'Top oil', unit: '°C', value: null, from: 0, to: 150, warn: 85, alarm: 95 },
    ],
    { nothing: 'NO DATA', warn: 'Alarm', alarm: 'Trip', name: 'Gauge', value: 'Value' },
  )} />,
  <Plot key="grouped" title="Side by side, some foreseen" subject="F2" zone="UTC" height={220} figure={bars({
    head: 'Month',
    categories: ['July', 'August', 'September', 'October'],
    left: { name: 'Energy (kWh)' },
    notes: [null, 'not complete', null, null],
    series: [
      { name: 'Solar', unit: 'kWh', colour: 3, values: [120, 140, -20, 80] },
      { name: 'Grid', unit: 'kWh', colour: 0, values: [220, 110, 160, 70], isForecast: true },
    ],
  })} />,
];

const screens: Record<string, React.ReactNode> = {
  reliability: <Reliability {...props} />,
  demand: <Demand {...props} />,
  faults: <FaultTrends {...props} />,
  pictures: <div className="analysis">{PICTURES}</div>,
};

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <LiveContext value={{ connection, points: new LiveStore(), feeds: new Feeds(connection) }}>
      <div className="shown">{screens[asked.get('screen') ?? 'reliability']}</div>
    </LiveContext>
  </StrictMode>,
);
