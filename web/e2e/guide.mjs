// Prints the user guide from guide/guide.html to public/user-guide.pdf, and stores the hash of its source. Run it after each change: npm run guide.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openBrowser } from './browser.mjs';

const web = resolve(import.meta.dirname, '..');
const source = resolve(web, 'guide/guide.html');

const { page, close } = await openBrowser();
await page.goto(`file://${source}`);
await page.evaluate(() => document.fonts.ready);
await page.pdf({
  path: resolve(web, 'public/user-guide.pdf'),
  preferCSSPageSize: true,
  tagged: true,
  outline: true,
  displayHeaderFooter: true,
  headerTemplate: '<span></span>',
  footerTemplate: '<div style="width:100%;font:8px sans-serif;color:#5c6873;padding:0 20mm;text-align:right"><span class="pageNumber"></span></div>',
});
await close();
writeFileSync(resolve(web, 'guide/printed.sha256'), `${createHash('sha256').update(readFileSync(source)).digest('hex')}\n`);
