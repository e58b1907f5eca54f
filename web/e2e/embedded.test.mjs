// Pages of other servers in a real browser with the demo: the message without configuration, the messages to a frame, addresses that are not framed,
// and the user guide. The browser reaches stand-ins under the names of the other servers. The stand-in of Power BI follows its published contract: it is
// built of the libraries of `powerbi-client` for the report's side, and the client library itself embeds it as our page does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';

let product;
let browser;
let page;
let base;
let door;

/** A page that shows the messages that it receives. */
const PAGE = `<!doctype html><title>Reports</title><h1>Reports of another server</h1><pre id="told"></pre>
<script>addEventListener('message', ({ data }) => (document.getElementById('told').textContent += JSON.stringify(data) + '\\n'));</script>`;

const client = createRequire(import.meta.url).resolve('powerbi-client');
const ofClient = createRequire(client);
const LIBRARIES = ['window-post-message-proxy', 'http-post-message', 'powerbi-router', 'powerbi-models'];
const script = (file) => `<script>${readFileSync(file, 'utf8').replaceAll('</script', '<\\/script')}</script>`;

/**
 * The page of an embedded report. It checks each request by the validators of `powerbi-models`, and knows valid tokens by their beginning, `VALID`.
 * `play` in its address: `slow` answers and reports nothing until `release` is called, `gone` has no report.
 */
const REPORT = `<!doctype html><title>Report</title><h1>Report of Power BI</h1>${LIBRARIES.map((name) => script(ofClient.resolve(name))).join('\n')}
<script>
const { WindowPostMessageProxy } = window['window-post-message-proxy'], { HttpPostMessage } = window['http-post-message'], { Router } = window['powerbi-router'];
const { validateReportLoad } = window['powerbi-models'];
const { addTrackingProperties, getTrackingProperties, isErrorMessage } = HttpPostMessage;
const proxy = new WindowPostMessageProxy({ processTrackingProperties: { addTrackingProperties, getTrackingProperties }, isErrorMessage, suppressWarnings: true });
const toHost = new HttpPostMessage(proxy, {}, parent);
const router = new Router(proxy);
const address = new URL(location.href).searchParams;
const uid = address.get('uid');
const play = address.get('play');
window.requests = [];
window.events = [];
window.raised = (name, body) => toHost.post('/reports/' + uid + '/events/' + name, body, { uid }).then(({ statusCode }) => seen('events', window.events.push([name, statusCode])));
const released = play === 'slow' ? new Promise((done) => (window.release = done)) : Promise.resolve();
const seen = (what, number) => (document.body.dataset[what] = (document.body.dataset[what] ?? '') + ' ' + number);
const note = ({ method, url, headers, body }) => seen('requests', window.requests.push({ method, url, uid: headers.uid, body }));
const refusal = (uidOfRequest, token) => {
  if (uidOfRequest !== uid) return [400, { message: 'unknownReport' }];
  if (typeof token !== 'string') return [400, { message: 'invalidToken' }];
  return token.startsWith('VALID') ? null : [403, { message: 'TokenExpired' }];
};
router.post('/report/load', async (request, response) => {
  note(request);
  await released;
  const errors = validateReportLoad(request.body);
  if (errors && errors.length > 0) return response.send(400, errors[0]);
  const refused = refusal(request.headers.uid, request.body.accessToken);
  if (refused) return response.send(...refused);
  if (play === 'gone') return response.send(404, { message: 'PowerBIEntityNotFound', detailedMessage: 'The report is not there.' });
  response.send(202, {});
  setTimeout(() => window.raised('loaded', {}).then(() => window.raised('rendered', {})));
});
router.post('/report/token', (request, response) => {
  note(request);
  response.send(...(refusal(request.headers.uid, request.body) ?? [202, {}]));
});
</script>`;

/** A page that embeds a report by the client library. */
const HOST = `<!doctype html><title>Host</title><div id="report" style="height: 400px"></div>${script(client)}`;

before(async () => {
  product = await aProduct();
  base = product.base;
  product.settings.SWITCHYARD__HTTP__FRAME_HOSTS = 'reports.example,app.powerbi.com';
  await product.start();
  browser = await openBrowser({ width: 1400, height: 900 });
  page = browser.page;
  door = aDoor(page, base);
  for (const [host, body] of [['reports.example', PAGE], ['app.powerbi.com', REPORT], ['elsewhere.example', PAGE], ['host.example', HOST]]) {
    await page.route(`https://${host}/**`, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
  }
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const at = (testId) => page.getByTestId(testId).first();
const INFO = '**/api/powerbi/getembedinfo';
const info = (more) => ({ statusCode: 200, message: '', result: { accessToken: 'VALID 1', embedUrl: 'https://app.powerbi.com/reportEmbed?reportId=7', reportId: '7', filter: { table: 'Sites', column: 'ClientId' }, expires: new Date(Date.now() + 3_600_000).toISOString(), ...more } });

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

const ADDRESS = 'https://app.powerbi.com/reportEmbed?reportId=7';
/** The page of the report in its frame, once it has received a number of requests. It is found again at each use: the frame moves to a process of its own. */
async function reportWith(requests, of = page) {
  const report = of.frameLocator('iframe');
  await report.locator(`body[data-requests~="${requests}"]`).waitFor({ state: 'attached', ...PATIENCE });
  return report.locator('body');
}
const requestsOf = (report) => report.evaluate(() => window.requests);
const eventsOf = async (report, number) => {
  await report.page().frameLocator('iframe').locator(`body[data-events~="${number}"]`).waitFor({ state: 'attached', ...PATIENCE });
  return report.evaluate(() => window.events);
};

test('the page of the report gets token, report and the locked filter of the utility, and shows when it is there', async () => {
  await page.goto(`${base}/powerbi`);
  const report = await reportWith(1);
  const [{ method, url, body }] = await requestsOf(report);
  const me = await fetch(`${base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'operator', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  assert.deepEqual([method, url, body.accessToken, body.id], ['POST', '/report/load', 'VALID 1', '7']);
  assert.deepEqual([body.filters[0].values, body.filters[0].target], [[me.clientId], { table: 'Sites', column: 'ClientId' }]);
  assert.equal(body.filters[0].displaySettings.isLockedInViewMode, true);
  assert.match(await at('embedded-frame').getAttribute('sandbox'), /^allow-scripts allow-same-origin$/);
  await at('embed-waiting').waitFor({ state: 'detached', ...PATIENCE });
  assert.deepEqual(await eventsOf(report, 2), [['loaded', 200], ['rendered', 200]], 'each event is answered');
});

/** The answers of our server about the report, one for each request; the last one is repeated. */
async function answered(...answers) {
  await page.unroute(INFO);
  await page.route(INFO, (route) => route.fulfill({ json: info(answers.length > 1 ? answers.shift() : answers[0]) }));
}

test('our page sends the report what the client library of Power BI sends it', async () => {
  await answered({}, { accessToken: 'VALID 2' });
  await page.goto(`${base}/powerbi`);
  const report = await reportWith(1);
  await at('embed-waiting').waitFor({ state: 'detached', ...PATIENCE });
  await report.evaluate(() => void window.raised('error', { message: 'TokenExpired' }));
  const ours = await requestsOf(await reportWith(2));
  const other = await page.context().newPage();
  for (const [host, body] of [['app.powerbi.com', REPORT], ['host.example', HOST]]) await other.route(`https://${host}/**`, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
  await other.goto('https://host.example/');
  const events = other.evaluate(
    ({ embedUrl, filters }) =>
      new Promise((done) => {
        const names = [];
        const report = window.powerbi.embed(document.getElementById('report'), { type: 'report', tokenType: 1, accessToken: 'VALID 1', embedUrl, id: '7', filters });
        for (const name of ['loaded', 'rendered']) report.on(name, () => names.push(name) === 2 && done(names));
        report.on('error', ({ detail }) => detail.message === 'TokenExpired' && report.setAccessToken('VALID 2'));
      }),
    { embedUrl: ADDRESS, filters: ours[0].body.filters },
  );
  const theirs = await reportWith(1, other);
  assert.deepEqual(await events, ['loaded', 'rendered']);
  await theirs.evaluate(() => void window.raised('error', { message: 'TokenExpired' }));
  const sent = await requestsOf(await reportWith(2, other));
  assert.equal(new Set(ours.map(({ uid }) => uid)).size, 1, 'all messages name one report');
  for (const [index, { method, url, body }] of sent.entries()) {
    assert.deepEqual([ours[index].method, ours[index].url], [method, url]);
    if (typeof body === 'string') assert.equal(ours[index].body, body);
    else for (const key of Object.keys(ours[index].body)) assert.deepEqual(ours[index].body[key], body[key], key);
  }
  assert.deepEqual(await eventsOf(report, 3), await eventsOf(theirs, 3), 'both answer events alike');
  await other.close();
});

test('a token is renewed before it expires, and at once when the report says that it has expired', async () => {
  await answered({}, { accessToken: 'VALID 2' }, { accessToken: 'VALID 3' });
  await page.clock.install();
  await page.goto(`${base}/powerbi`);
  const report = await reportWith(1);
  await page.clock.fastForward('50:01');
  const renewed = await requestsOf(await reportWith(2));
  assert.deepEqual([renewed[1].url, renewed[1].body], ['/report/token', 'VALID 2']);
  await page.clock.fastForward('01:01');
  await report.evaluate(() => void window.raised('error', { message: 'TokenExpired' }));
  const again = await requestsOf(await reportWith(3));
  assert.deepEqual([again[2].url, again[2].body], ['/report/token', 'VALID 3']);
  await page.clock.resume();
});

test('a report that refuses its token is loaded with another one', async () => {
  await answered({ accessToken: 'OLD' }, { accessToken: 'VALID 2' });
  await page.goto(`${base}/powerbi`);
  const requests = await requestsOf(await reportWith(2));
  assert.deepEqual(requests.map(({ url, body }) => [url, body.accessToken]), [['/report/load', 'OLD'], ['/report/load', 'VALID 2']]);
  await at('embed-waiting').waitFor({ state: 'detached', ...PATIENCE });
});

test('a refusal is shown with its reason, and can be tried again', async () => {
  await answered({ embedUrl: `${ADDRESS}&play=gone` }, {});
  await page.goto(`${base}/powerbi`);
  await at('powerbi-refused').filter({ hasText: 'HTTP-Error: 404 The report is not there.' }).waitFor(PATIENCE);
  await at('powerbi-refused').getByRole('button').click();
  await reportWith(1);
  await at('embed-waiting').waitFor({ state: 'detached', ...PATIENCE });
});

test('a slow report is named, and is shown when it comes', async () => {
  await answered({ embedUrl: `${ADDRESS}&play=slow` });
  await page.clock.install();
  await page.goto(`${base}/powerbi`);
  const report = await reportWith(1);
  await at('embed-waiting').filter({ hasText: 'Loading embed...' }).waitFor(PATIENCE);
  await page.clock.fastForward('00:31');
  await at('embed-waiting').filter({ hasText: 'has not opened the report for 30 s' }).waitFor(PATIENCE);
  await page.clock.resume();
  await report.evaluate(() => window.release());
  await at('embed-waiting').waitFor({ state: 'detached', ...PATIENCE });
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
