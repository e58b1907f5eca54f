// Screenshots of the screens of reports and of the embedded pages with generated answers, dark and light, on a screen and on a phone, for
// visual review, and the findings of axe. Usage: node bench/reports.mjs FOLDER [part of a name…].
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const folder = resolve(process.argv[2] ?? 'reports');
mkdirSync(folder, { recursive: true });
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-reports-'));
await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'reports.html') } },
});
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await openBrowser({ width: 1600, height: 1000 });
const { page, errors } = browser;
const base = new URL('reports.html', server.resolvedUrls.local[0]).href;
const only = process.argv.slice(3);
// The screen of reports remains in the page while another tab is shown, so only visible elements are selected.
const at = (testId) => page.locator(`[data-testid="${testId}"]:visible`).first();
const report = async (id) => {
  await at('report-report').selectOption(String(id));
  await page.waitForTimeout(200);
};
const divisions = async (...names) => {
  await at('report-level').selectOption('division');
  await at('report-area').click();
  for (const name of names) await page.locator('li[role=option]').filter({ hasText: name }).first().click();
  await at('report-area').press('Escape');
};
const samples = async () => {
  await at('report-level').selectOption('substation');
  await at('report-location').click();
  await page.locator('li[role=option]').first().click();
  await at('report-location').press('Escape');
  await report(31);
  await at('report-frequency').selectOption('6');
  await at('part-from').fill('2026-11-01');
  await at('part-to').fill('2026-11-21');
};
const shown = async () => {
  await samples();
  await at('show-data').click();
  await page.waitForTimeout(600);
};
const saved = async (testId) => {
  await at('saved-selections').click();
  await at(testId).click();
};
const opened = (id) => async () => {
  await at(`schedule-${id}`).click();
  await at(`schedule-one`).waitFor();
};
const linked = async () => {
  await opened(1)();
  await at('run-14-links').click();
  await at('link-make').click();
  await at('link-made').waitFor();
};
const written = async () => {
  await at('schedule-new').click();
  await at('schedule-name').fill('Feeders of Harbour');
  await divisions('Harbour');
  await report(9);
  await at('schedule-every').selectOption('week');
  await at('mail-to').fill('asha.rao@harbour.example');
  await at('mail-to').press('Enter');
};
const SCREEN = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const themes = (name, query, act, size) => ['dark', 'light'].map((theme) => [`${name}-${theme}`, `${query}&theme=${theme}`, act, size]);
const CASES = [
  ...themes('empty', ''),
  ...themes('shown', '', shown),
  ...themes('phone', '', samples, PHONE),
  ['phone-shown', '', async () => {
    await shown();
    await at('report-rows').scrollIntoViewIfNeeded();
  }, PHONE],
  ['many', '', async () => {
    await divisions('Harbour', 'Hills');
    await report(1);
    await at('report-frequency').selectOption('2');
    await at('report-area').click();
  }],
  ['wrong', '', async () => {
    await samples();
    await at('part-from').fill('2026-11-22');
  }],
  ['feeder', '', async () => {
    await at('report-level').selectOption('asset');
    await at('report-area').selectOption('4');
    await report(9);
    await at('report-frequency').selectOption('9');
    await at('input-limit').fill('0');
    await at('report-feeder').click();
  }],
  ['downloading', 'slow=1', async () => {
    await samples();
    await at('download').click();
    await page.waitForTimeout(2_000);
  }],
  ['asking', 'slow=1', shown],
  ['failed', 'fail=1', shown],
  ['no-data', 'rows=0', shown],
  ['gds', 'gds=1', async () => {
    await samples();
    await report(37);
    await at('report-frequency').selectOption('7');
  }],
  ['realtime', '', async () => {
    await divisions('Harbour');
    await report(4);
    await at('report-type').selectOption('RealTime');
  }],
  ['quantity', '', async () => {
    await divisions('Harbour');
    await report(4);
    await at('report-type').selectOption('Historic');
    await at('report-frequency').selectOption('1');
  }],
  ['saved-menu', '', () => at('saved-selections').click()],
  ['saved-menu-phone', '', () => at('saved-selections').click(), PHONE],
  ['saved-taken', '', () => saved('saved-3')],
  ['saved-manage', '', async () => {
    await saved('saved-manage');
    await page.locator('.saved-list button').nth(1).click();
  }],
  ['saved-down', 'down=1', () => at('saved-selections').click()],
  ...themes('schedules', 'tab=schedules'),
  ...themes('schedules-phone', 'tab=schedules', undefined, PHONE),
  ['schedules-none', 'tab=schedules&none=1'],
  ['schedules-down', 'tab=schedules&down=1'],
  ...themes('schedule-open', 'tab=schedules', opened(1)),
  ['schedule-open-phone', 'tab=schedules', opened(1), PHONE],
  ['schedule-failed', 'tab=schedules', opened(2)],
  ['schedule-running', 'tab=schedules', async () => {
    await opened(4)();
    await at('run-now').click();
    await at('run-progress').waitFor();
  }],
  ['schedule-links', 'tab=schedules', linked],
  ['schedule-links-phone', 'tab=schedules', linked, PHONE],
  ...themes('schedule-form', 'tab=schedules', written),
  ['schedule-form-phone', 'tab=schedules', written, PHONE],
  ['schedule-delete', 'tab=schedules', async () => {
    await opened(1)();
    await at('schedule-delete').click();
  }],
  ...themes('monthly', 'tab=monthly', () => at('report-level').selectOption('client')),
  ['monthly-phone', 'tab=monthly&slow=1', async () => {
    await at('report-level').selectOption('client');
    await at('monthly-make').click();
    await page.waitForTimeout(1_500);
  }, PHONE],
  ...themes('powerbi', 'screen=powerbi'),
  ['powerbi-alert', 'screen=powerbi&status=503'],
  ['embed', 'screen=embed'],
  ['powerbi-phone', 'screen=powerbi', undefined, PHONE],
];
for (const [name, query, act, size = SCREEN] of CASES) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  await page.setViewportSize(size);
  await page.goto(`${base}?${query}`);
  await page.waitForTimeout(800);
  await act?.();
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
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
