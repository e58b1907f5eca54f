// Screenshots of reliability, demand and fault trends with generated answers, dark and light, for visual review, and the findings of axe.
// Usage: node bench/analysis.mjs FOLDER [part of a name…].
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const folder = resolve(process.argv[2] ?? 'analysis');
mkdirSync(folder, { recursive: true });
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-analysis-'));
await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'analysis.html') } },
});
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await openBrowser({ width: 1600, height: 1150 });
const { page, errors } = browser;
const base = new URL('analysis.html', server.resolvedUrls.local[0]).href;
const only = process.argv.slice(3);
const click = (testId) => page.getByTestId(testId).first().click();
const CASES = [
  ...['reliability', 'demand', 'faults', 'pictures'].flatMap((screen) => ['dark', 'light'].map((theme) => [`${screen}-${theme}`, `screen=${screen}&theme=${theme}`])),
  ['outages', 'screen=reliability', async () => {
    await click('index-saidi');
    await page.getByTestId('outage-row').nth(2).click();
  }],
  ['correction', 'screen=reliability&theme=light', async () => {
    await click('index-saidi');
    await page.getByTestId('outage-row').nth(2).click();
    await click('outage-correct');
    await page.getByTestId('outage-note').fill('Seen in the field.');
    await click('outage-save');
    await page.waitForTimeout(300);
  }],
  ['faults-area', 'screen=faults&level=division'],
  ...['reliability', 'demand', 'faults'].flatMap((screen) => [[`${screen}-empty`, `screen=${screen}&empty=1`], [`${screen}-failed`, `screen=${screen}&fail=1`], [`${screen}-slow`, `screen=${screen}&slow=1`]]),
];
for (const [name, query, act] of CASES) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  await page.goto(`${base}?${query}`);
  await page.waitForTimeout(name.endsWith('slow') ? 1_200 : 900);
  const chart = page.locator('.chart-box').first();
  if (await chart.count()) {
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 90);
  }
  await act?.();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: false });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
  for (const { id, nodes } of violations) console.log(name, id, nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`).join('\n    '));
}
for (const error of errors) console.error(error);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
