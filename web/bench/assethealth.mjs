// Asset health with 5,000 generated sections: time from a filter to the painted screen, frame rate while scrolling, and screenshots of every
// tab, dark and light, wide and narrow, with the findings of axe. Usage: node bench/assethealth.mjs FOLDER [part of a name…]. `--measure`
// only measures.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, preview } from 'vite';
import { openBrowser } from '../e2e/browser.mjs';
import { figure, isShort } from './harness.mjs';

const isMeasured = process.argv.includes('--measure');
const [folderName = 'assethealth', ...only] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const folder = resolve(folderName);
const SECTIONS = isShort ? 900 : 5_000;
if (!isMeasured) mkdirSync(folder, { recursive: true });
const root = resolve(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'switchyard-assethealth-'));
await build({ root, configFile: false, logLevel: 'error', build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input: join(root, 'assethealth.html') } } });
const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await openBrowser({ width: 1600, height: 1000 });
const { page, errors } = browser;
const base = new URL('assethealth.html', server.resolvedUrls.local[0]).href;
const WIDE = { width: 1600, height: 1000 };
const NARROW = { width: 400, height: 850 };

/** Time from an input event to the frame after the one that shows its effect, ms. */
const untilPainted = (act) =>
  page.evaluate(
    (source) =>
      new Promise((done) => {
        const from = performance.now();
        new Function(source)();
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from)));
      }),
    act,
  );

const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const summary = (list) => `median ${middle(list).toFixed(0)} ms, worst ${Math.max(...list).toFixed(0)} ms`;

/** Runs in the page and scrolls 2,000 px a second. */
const scrolling = ({ selector, seconds }) =>
  new Promise((done) => {
    const box = document.querySelector(selector);
    const gaps = [];
    const began = performance.now();
    let before = began;
    const frame = (now) => {
      gaps.push(now - before);
      before = now;
      box.scrollTop = ((now - began) * 2) % (box.scrollHeight - box.clientHeight);
      if (now - began < seconds * 1_000) requestAnimationFrame(frame);
      else done({ rate: gaps.length / ((now - began) / 1_000), p95: gaps.sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)] });
    };
    requestAnimationFrame(frame);
  });

async function measure() {
  const worst = [];
  for (const tab of ['heat', 'matrix', 'map']) {
    await page.setViewportSize(WIDE);
    await page.goto(`${base}?tab=${tab}&sections=${SECTIONS}`);
    await page.getByTestId('section-row').first().waitFor();
    await page.getByTestId('filter-of-feeder').click();
    await page.getByTestId('filter-all').waitFor();
    const ticks = [];
    for (let at = 0; at < 8; at += 1) {
      ticks.push(await untilPainted(`document.querySelectorAll('.column-choices input')[${at}].click()`));
    }
    const untick = [];
    for (let at = 0; at < 4; at += 1) untick.push(await untilPainted(`document.querySelector('[data-testid=filter-all]').click()`));
    await page.keyboard.press('Escape');
    await page.getByTestId('filters-clear').click({ timeout: 1_000 }).catch(() => undefined);
    const orders = [];
    for (const key of ['pof', 'age', 'km', 'section']) orders.push(await untilPainted(`document.querySelector('[data-testid=sort-${key}]').click()`));
    const chosen = [];
    for (let at = 2; at < 8; at += 1) chosen.push(await untilPainted(`document.querySelectorAll('[data-testid=section-row]')[${at}].click()`));
    worst.push(Math.max(...[ticks, untick, orders, chosen].map(middle)));
    console.log(`${tab}: filter to painted ${summary(ticks)}; all on or off ${summary(untick)}; order ${summary(orders)}; choose ${summary(chosen)}`);
  }
  await page.goto(`${base}?tab=heat&sections=${SECTIONS}`);
  await page.getByTestId('section-row').first().waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const busy = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  // A plain list with all its rows in the page shows the limit of this machine.
  const rates = [];
  for (const [what, prepare] of [
    ['our table', () => undefined],
    ['a plain list', () => {
      const list = document.createElement('div');
      list.dataset.testid = 'plain';
      list.style.cssText = 'position:fixed;inset:0;overflow:auto;background:#000;z-index:9';
      list.innerHTML = Array.from({ length: 5_000 }, (_, at) => `<div style="height:28px">${at}</div>`).join('');
      document.body.append(list);
    }],
  ]) {
    await page.evaluate(prepare);
    const before = await busy();
    const frames = await page.evaluate(scrolling, { selector: what === 'our table' ? '[data-testid=section-table]' : '[data-testid=plain]', seconds: isShort ? 0.5 : 5 });
    const after = await busy();
    rates.push(frames.rate);
    const share = (name) => `${(((after[name] - before[name]) / (after.Timestamp - before.Timestamp)) * 100).toFixed(0)} %`;
    console.log(`scroll, ${what}: ${frames.rate.toFixed(1)} frames/s, 95 % within ${frames.p95.toFixed(1)} ms, script ${share('ScriptDuration')}, layout ${share('LayoutDuration')}, style ${share('RecalcStyleDuration')}, all tasks ${share('TaskDuration')}`);
  }
  await page.evaluate(() => document.querySelector('[data-testid=plain]').remove());
  const box = await page.locator('.chart-box').first().boundingBox();
  const hover = await page.evaluate(
    ({ x, y, width, height }) =>
      new Promise((done) => {
        const target = document.querySelector('.chart-box');
        const gaps = [];
        const began = performance.now();
        let before = began;
        const frame = (now) => {
          gaps.push(now - before);
          before = now;
          const at = (now - began) / 2_000;
          target.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: x + width * at, clientY: y + height * (0.5 + 0.4 * Math.sin(at * 20)) }));
          if (now - began < 2_000) requestAnimationFrame(frame);
          else done(gaps.length / ((now - began) / 1_000));
        };
        requestAnimationFrame(frame);
      }),
    box,
  );
  console.log(`pointing at boxes: ${hover.toFixed(1)} frames/s`);
  figure(`asset health of ${SECTIONS} sections, slowest input to painted, median ms`, Math.max(...worst).toFixed(0));
  figure(`asset health of ${SECTIONS} sections, frames/s while scrolling to a plain list`, (rates[0] / rates[1]).toFixed(2));
}

const choose = async () => {
  await page.getByTestId('section-row').nth(3).click();
};
const tick = async (count) => {
  for (let at = 0; at < count; at += 1) await page.getByTestId('section-row').nth(at).locator('input').check();
};
const CASES = [
  ...['heat', 'matrix', 'map', 'forecast', 'plant'].flatMap((tab) =>
    ['dark', 'light'].flatMap((theme) => [
      [`${tab}-${theme}`, `tab=${tab}&theme=${theme}&sections=900`, tab === 'forecast' ? () => tick(6) : choose, WIDE],
      [`${tab}-${theme}-narrow`, `tab=${tab}&theme=${theme}&sections=900`, tab === 'forecast' ? () => tick(3) : choose, NARROW],
    ]),
  ),
  ['heat-5000', 'tab=heat&sections=5000', choose, WIDE],
  ['map-5000', 'tab=map&sections=5000', choose, WIDE],
  ['few', 'tab=heat&sections=7', choose, WIDE],
  ['filter', 'tab=heat&sections=900', async () => {
    await page.getByTestId('filter-of-hi').click();
    await page.getByTestId('filter-HI1').click();
  }, WIDE],
  ['cell', 'tab=matrix&sections=900', () => page.getByTestId('cell-C2-HI2').click(), WIDE],
  ['cell-none', 'tab=matrix&sections=60', () => page.locator('.cell[data-none=true]').first().click(), WIDE],
  ['unset', 'year=', undefined, WIDE],
  ['empty', 'empty=1', undefined, WIDE],
  ['failed', 'fail=1', undefined, WIDE],
  ['slow', 'slow=1', undefined, WIDE],
  ...['dark', 'light'].map((theme) => [`import-${theme}`, `screen=import&theme=${theme}`, async () => {
    await page.getByTestId('health-file').setInputFiles({ name: 'register.csv', mimeType: 'text/csv', buffer: Buffer.from('wrong') });
    await page.getByTestId('health-try').click();
    await page.getByTestId('health-faults').waitFor();
  }, WIDE]),
];
if (isMeasured) await measure();
else {
  for (const [name, query, act, size] of CASES) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    await page.setViewportSize(size);
    await page.goto(`${base}?${query}`);
    await page.waitForTimeout(900);
    await act?.();
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    if (size === NARROW) {
      await page.evaluate(() => document.querySelector('.health-main')?.scrollTo(0, 800));
      await page.screenshot({ path: join(folder, `${name}-below.png`) });
    }
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
    for (const { id, nodes } of violations) console.log(name, id, nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`).join('\n    '));
  }
}
for (const error of errors) console.error(error);
await browser.close();
await server.close();
rmSync(outDir, { recursive: true, force: true });
