// Screenshots of the profile screens with generated answers, dark and light, for visual review. Usage: node bench/profiles.mjs FOLDER.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';

const folder = resolve(process.argv[2] ?? 'profiles');
mkdirSync(folder, { recursive: true });
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-profiles-'));
await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'profiles.html') } },
});
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const browser = await openBrowser({ width: 1600, height: 1000 });
const { page, errors } = browser;
const base = new URL('profiles.html', server.resolvedUrls.local[0]).href;
const only = process.argv.slice(3);
const CASES = ['vi', 'power', 'energy', 'loading', 'readings'].flatMap((screen) =>
  ['dark', 'light'].map((theme) => [`${screen}-${theme}`, `screen=${screen}&theme=${theme}`]),
);
for (const [name, query] of [...CASES, ['empty', 'screen=vi&empty=1'], ['failed', 'screen=vi&fail=1']]) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  await page.goto(`${base}?${query}`);
  await page.waitForFunction(
    () =>
      document.querySelectorAll('.chart-panel').length === 0 ||
      [...document.querySelectorAll('.chart-panel')].every((panel) => panel.getAttribute('aria-busy') === 'false'),
  );
  const chart = page.locator('.chart-box').first();
  if (await chart.count()) {
    if (name.startsWith('vi') || name.startsWith('loading')) await page.getByTestId('preset-1d').click();
    await page.waitForTimeout(500);
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 60);
  }
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
for (const error of errors) console.error(error);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
