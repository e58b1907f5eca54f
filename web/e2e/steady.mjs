// Detects leaks of an open screen: a walk through the tabs of the dashboard, and the memory of the page after each round.
import { PATIENCE } from './door.mjs';

const TABS = ['sld', 'analog-log', 'analog-realtime', 'power-quality', 'asset', 'event-log', 'faults', 'substation-health'];

/** Opens the dashboard on its first substation. Returns a function that makes one round and returns the page's memory figures. */
export async function walker(page, base, restMs) {
  await page.goto(`${base}/dashboard`);
  // The square of the substation: the middle of a symbol with a long text can be beside both.
  await page.getByTestId('map-substation').filter({ hasText: 'Quayside' }).locator('.ground').click(PATIENCE);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  return async () => {
    for (const tab of TABS) {
      await page.getByTestId(`tab-${tab}`).click(PATIENCE);
      await page.waitForTimeout(restMs);
    }
    await page.getByTestId('tab-sld').click(PATIENCE);
    await page.locator('[data-testid=sld][data-live=live]').waitFor(PATIENCE);
    // A closed screen releases its resources, such as the stream of its table, within two seconds.
    await page.waitForTimeout(2_500);
    // Twice, because the first collection can release references to further objects.
    await cdp.send('HeapProfiler.collectGarbage');
    await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { heapMb: of('JSHeapUsedSize') / 1_048_576, listeners: of('JSEventListeners'), nodes: of('Nodes'), documents: of('Documents') };
  };
}

/** Growth from the second third to the last third of the rounds. The minima are compared, because they contain only what is never released. */
export function growth(rounds) {
  const third = Math.floor(rounds.length / 3);
  const least = (part, name) => Math.min(...part.map((round) => round[name]));
  const [middle, last] = [rounds.slice(third, 2 * third), rounds.slice(2 * third)];
  return Object.fromEntries(['heapMb', 'listeners', 'nodes', 'documents'].map((name) => [name, least(last, name) - least(middle, name)]));
}
