// The profile screens with generated answers, for visual review: ?screen=vi|power|energy|loading|readings, &theme=light, &zone=…, &fail=1,
// &empty=1, &slow=1.
import '@fontsource-variable/inter';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { EnergyProfile } from '../src/features/profiles/EnergyProfile';
import { LiveReadings } from '../src/features/profiles/LiveReadings';
import { PermissibleLoading } from '../src/features/profiles/PermissibleLoading';
import { PowerProfile } from '../src/features/profiles/PowerProfile';
import { VIProfile } from '../src/features/profiles/VIProfile';
import type { Connection, Listener } from '../src/live/connection';
import { ServerClock } from '../src/live/clock';
import { Feeds } from '../src/live/feed';
import { LiveContext } from '../src/live/live';
import { LiveStore } from '../src/live/store';
import '../src/ui/tokens.css';
import '../src/ui/app.css';
import '../src/ui/shell.css';
import { answer, NOW, readings } from './profile-data';

const asked = new URLSearchParams(location.search);
document.documentElement.dataset.theme = asked.get('theme') ?? 'dark';
let fails = asked.has('fail');
Object.assign(window, { failing: (now: boolean) => (fails = now), questions: [] as string[] });

window.fetch = async (input, init) => {
  const url = new URL(String(input), location.href);
  (window as unknown as { questions: string[] }).questions.push(url.pathname + url.search);
  if (asked.has('slow')) await new Promise((wake) => setTimeout(wake, 3_000));
  init?.signal?.throwIfAborted();
  if (fails) return Response.json({ statusCode: 503, message: 'The history is not available just now.', result: null }, { status: 503 });
  return Response.json({ statusCode: 200, message: '', result: answer(url, asked.has('empty')) });
};

const clock = new ServerClock();
clock.beat(NOW);
const up = { up: true, since: null };
const connection = {
  clock,
  link: () => up,
  onLink: () => () => undefined,
  subscribe: (_: string, listener: Listener) => {
    listener.snapshot({ rows: asked.has('empty') ? [] : readings() });
    return () => undefined;
  },
} as unknown as Connection;
setInterval(() => clock.tick(), 1_000);

const limits = {
  voltage: [{ name: '+6 % limit 6.73', value: 6.73 }],
  current: [{ name: 'rated 200 A', value: 200 }],
  frequency: [
    { name: '50.05', value: 50.05 },
    { name: '49.90', value: 49.9 },
  ],
};
const props = { token: 'none', zone: asked.get('zone') ?? 'Asia/Kolkata', assetId: 7, assetName: 'F2 Autonagar', limits };
const screens: Record<string, React.ReactNode> = {
  vi: <VIProfile {...props} />,
  power: <PowerProfile {...props} lineToLine />,
  energy: <EnergyProfile {...props} />,
  loading: <PermissibleLoading {...props} />,
  readings: <LiveReadings {...props} />,
};

/** The screen, which `window.show` removes and restores. */
function Page() {
  const [isShown, setShown] = useState(true);
  useEffect(() => {
    Object.assign(window, { show: setShown });
  }, []);
  return <div className="shown">{isShown && screens[asked.get('screen') ?? 'vi']}</div>;
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <LiveContext value={{ connection, points: new LiveStore(), feeds: new Feeds(connection) }}>
      <Page />
    </LiveContext>
  </StrictMode>,
);
