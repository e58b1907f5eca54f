// Pages of other servers in a real browser with the demo: the message without configuration, the messages to a frame, addresses that are not framed,
// and the user guide. A server of the test plays the other servers; the browser reaches it under their names.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let page;
let base;
let door;
let other;

/** A page that shows the messages that it receives. */
const PAGE = `<!doctype html><title>Reports</title><h1>Reports of another server</h1><pre id="told"></pre>
<script>addEventListener('message', ({ data }) => (document.getElementById('told').textContent += JSON.stringify(data) + '\\n'));</script>`;

before(async () => {
  other = createServer((_, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE));
  await new Promise((done) => other.listen(0, '127.0.0.1', done));
  product = await aProduct();
  base = product.base;
  product.settings.SWITCHYARD__HTTP__FRAME_HOSTS = 'reports.example,app.powerbi.com';
  await product.start();
  browser = await openBrowser({ width: 1400, height: 900 });
  page = browser.page;
  door = aDoor(page, base);
  const played = `http://127.0.0.1:${other.address().port}/`;
  for (const host of ['reports.example', 'app.powerbi.com', 'elsewhere.example']) {
    await page.route(`https://${host}/**`, async (route) => {
      const answer = await fetch(played);
      await route.fulfill({ status: answer.status, contentType: 'text/html', body: await answer.text() });
    });
  }
});

after(async () => {
  await browser?.close();
  await product?.stop();
  other?.close();
});

const at = (testId) => page.getByTestId(testId).first();
const INFO = '**/api/powerbi/getembedinfo';
const info = (more) => ({ statusCode: 200, message: '', result: { accessToken: 'TOKEN', embedUrl: 'https://app.powerbi.com/reportEmbed?reportId=7', reportId: '7', filter: { table: 'Sites', column: 'ClientId' }, expires: new Date(Date.now() + 3_600_000).toISOString(), ...more } });

test('while nothing is configured the page says what to set, and where', async () => {
  await door.signedIn('operator');
  await page.goto(`${base}/powerbi`);
  await at('powerbi-not-configured').waitFor(PATIENCE);
  assert.equal(await page.locator('h1').innerText(), 'PowerBI Report');
  const text = await at('powerbi-not-configured').innerText();
  for (const setting of ['tenant_id', 'app_id', 'app_secret_file', 'workspace_id', 'report_id', 'role']) assert.ok(text.includes(`powerbi.${setting}`), setting);
  assert.equal(await page.getByTestId('notice-ok').count(), 0, 'what nobody has set up is no failure');
  const said = page.waitForEvent('console', { predicate: (message) => message.type() === 'error' && message.text().includes('no embed URL'), ...PATIENCE });
  await page.goto(`${base}/powerbi?tab=reports`);
  await at('loading-embed').filter({ hasText: 'Loading embed...' }).waitFor(PATIENCE);
  await at('reports-not-configured').filter({ hasText: 'reportsEmbedUrl' }).waitFor(PATIENCE);
  await said;
  assert.deepEqual(await door.findings('embedded pages'), []);
});

test('a failure of the other server is told by its status, and can be tried again', async () => {
  await page.route(INFO, (route) => route.fulfill({ status: 502, json: { statusCode: 502, message: 'Power BI does not answer', result: null } }));
  await page.goto(`${base}/powerbi`);
  await page.locator('dialog').filter({ hasText: 'HTTP-Error: 502' }).waitFor(PATIENCE);
  await at('notice-ok').click();
  await at('powerbi-problem').filter({ hasText: 'HTTP-Error: 502' }).waitFor(PATIENCE);
  await page.unroute(INFO);
  await page.route(INFO, (route) => route.fulfill({ json: info() }));
  await at('powerbi-problem').getByRole('button').click();
  await at('embedded-frame').waitFor(PATIENCE);
});

test('the frame is told token, report and the locked filter of the utility', async () => {
  await page.goto(`${base}/powerbi`);
  const frame = page.frameLocator('[data-testid=embedded-frame]');
  await frame.locator('#told').filter({ hasText: 'TOKEN' }).waitFor(PATIENCE);
  const told = JSON.parse((await frame.locator('#told').innerText()).trim().split('\n')[0]);
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'operator', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  assert.deepEqual([told.method, told.url, told.body.accessToken, told.body.id], ['POST', '/report/load', 'TOKEN', '7']);
  assert.deepEqual([told.body.filters[0].values, told.body.filters[0].target], [[me.clientId], { table: 'Sites', column: 'ClientId' }]);
  assert.equal(told.body.filters[0].displaySettings.isLockedInViewMode, true);
  assert.match(await at('embedded-frame').getAttribute('sandbox'), /^allow-scripts allow-same-origin$/);
});

test('a host that is not listed is not framed, whatever an answer says', async () => {
  await page.unroute(INFO);
  await page.route(INFO, (route) => route.fulfill({ json: info({ embedUrl: 'https://elsewhere.example/reportEmbed' }) }));
  await page.goto(`${base}/dashboard`);
  const refused = page.evaluate(() => new Promise((give) => window.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => give([violatedDirective, blockedURI]), { once: true })));
  await page.locator('.rail a[href="/powerbi"]').click();
  const [directive, blocked] = await refused;
  assert.deepEqual([directive, new URL(blocked).origin], ['frame-src', 'https://elsewhere.example']);
  await page.unroute(INFO);
  await door.signOut();
});

test('the page of reports that an administrator has set is framed, without a word of ours in it', async () => {
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  const headers = { Authorization: `Bearer ${me.token}`, 'Content-Type': 'application/json' };
  const { result } = await fetch(`${base}/api/admin/configuration`, { headers }).then((answer) => answer.json());
  const put = (reportsEmbedUrl) => fetch(`${base}/api/admin/configuration`, { method: 'PUT', headers, body: JSON.stringify({ ...result, reportsEmbedUrl }) });
  assert.equal((await put('https://elsewhere.example/')).status, 400);
  assert.equal((await put('https://reports.example/all')).status, 200);
  await door.signedIn('operator');
  await page.goto(`${base}/powerbi?tab=reports`);
  const frame = page.frameLocator('[data-testid=embedded-frame]');
  await frame.locator('h1').filter({ hasText: 'Reports of another server' }).waitFor(PATIENCE);
  assert.equal(await frame.locator('#told').innerText(), '');
  assert.equal(await page.getByTestId('loading-embed').count(), 0);
});

test('the user guide is read over the screen', async () => {
  const answers = page.waitForResponse((answer) => answer.url().endsWith('/user-guide.pdf'), PATIENCE);
  await at('help').click();
  await at('guide-open').click();
  const answer = await answers;
  assert.deepEqual([answer.status(), answer.headers()['content-type']], [200, 'application/pdf']);
  assert.match(answer.headers()['content-security-policy'], /frame-ancestors 'self'/);
  await at('guide-frame').waitFor(PATIENCE);
  await at('guide-close').click();
  await at('guide-open').waitFor(PATIENCE);
  assert.deepEqual(browser.errors, []);
});
