// Screenshots of the optimiser and of its administration with generated answers, dark and light, on a screen and on a phone, for visual
// review, and the findings of axe. Usage: node bench/lowcarbon.mjs FOLDER [part of a name…].
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const folder = resolve(process.argv[2] ?? 'lowcarbon');
mkdirSync(folder, { recursive: true });
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-lowcarbon-'));
await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'lowcarbon.html') } },
});
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await openBrowser({ width: 1600, height: 1000 });
const { page, errors } = browser;
const base = new URL('lowcarbon.html', server.resolvedUrls.local[0]).href;
const only = process.argv.slice(3);
const at = (testId) => page.getByTestId(testId).first();
const csv = (text) => ({ name: 'demand.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
const FAULTS = [
  { line: 3, column: 'kW', what: 'is "n/a"; a number' },
  { line: 17, column: 'time', what: 'is 2026-06-21 07:30, not after the time before it' },
  { line: 40, column: '', what: 'has 3 columns; time and kW' },
];
await page.route('**/demandfile', async (route) => {
  const isBad = (route.request().postDataBuffer()?.toString() ?? '').includes('n/a');
  await route.fulfill(
    isBad
      ? { status: 400, json: { statusCode: 400, message: 'line 3, column kW: is "n/a"; a number', correlationId: 'c', faults: FAULTS } }
      : { json: { statusCode: 200, message: '', result: { handle: 'ab', days: 14, values: 672, expires: '2026-11-23T08:33:00Z' } } },
  );
});
const withFile = (text) => async () => {
  await at('has-file').check();
  await at('demand-file').setInputFiles(csv(text));
  await at('optimiser-submit').click();
};
const PHONE = { width: 400, height: 850 };
const themes = (name, query, act, size) => ['dark', 'light'].map((theme) => [`${name}-${theme}`, `${query}&theme=${theme}`, act, size]);
const CASES = [
  ...themes('optimiser', 'warn=1'),
  ...themes('phone', 'one=1', undefined, PHONE),
  ...themes('what-if', '', async () => {
    await at('what-if-open').click();
    await at('changed-BatteryCapacityMaxKwh').fill('200');
    await at('changed-DischargingEndTimeHours').fill('4');
    await at('what-if-compare').click();
    await at('differences').waitFor();
    await at('what-if').scrollIntoViewIfNeeded();
  }),
  ['tomorrow', 'past=0', async () => at('day-tomorrow').click()],
  ['file-taken', '', withFile('1\n2\n')],
  ['file-refused', '', withFile('n/a\n')],
  ['wrong', 'refused=1', async () => {
    await at('field-BatteryChargeRateKw').fill('fast');
    await at('field-DischargingEndTimeHours').fill('50');
    await at('optimiser-submit').click();
  }],
  ['refused', 'refused=1', async () => {
    await at('field-BatteryCapacityMinKwh').fill('120');
    await at('optimiser-submit').click();
  }],
  ['no-demand', 'fail=1'],
  ['slow', 'slow=1'],
  ['no-site', 'none=1'],
  ['one-page', 'pages=lc.power-flow'],
  ...themes('sites', 'screen=sites', async () => {
    await at('low-carbon-12193').getByRole('button').first().click();
    await at('band-add').click();
  }),
  ['sites-phone', 'screen=sites', async () => at('low-carbon-12193').getByRole('button').first().click(), PHONE],
  ['sites-wrong', 'screen=sites', async () => {
    await at('low-carbon-new').click();
    await at('low-carbon-save').click();
  }],
];
for (const [name, query, act, size = { width: 1600, height: 1000 }] of CASES) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  await page.setViewportSize(size);
  await page.goto(`${base}?${query}`);
  await page.waitForTimeout(1_200);
  await act?.();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  // The window is made as high as the scrolled content, so that the screenshot has all of it.
  const height = await page.evaluate(() => Math.max(...[...document.querySelectorAll('.shown, .asset-view, .plain-page')].map((own) => own.scrollHeight)));
  if (height > size.height) {
    await page.setViewportSize({ width: size.width, height: height + 20 });
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}-whole.png`) });
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) console.log(name, `is ${wide} px wider than the page`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
  for (const { id, nodes } of violations) console.log(name, id, nodes.length, nodes.slice(0, 4).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`).join('\n    '));
}
for (const error of errors) console.error(error);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
