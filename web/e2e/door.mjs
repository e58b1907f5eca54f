// Signing in and out on the screen, and the findings of axe on the current page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export const PATIENCE = { timeout: 60_000 };
export const PASSWORD = 'switchyard-demo';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the steps for one page of one product. */
export function aDoor(page, base) {
  async function signIn(username, password = PASSWORD, path = '/login') {
    await page.goto(base + path);
    await page.getByTestId('login-username').fill(username);
    await page.getByTestId('login-password').fill(password);
    await page.getByTestId('login-submit').click();
  }

  async function signedIn(username) {
    await signIn(username);
    await page.locator('.rail a').first().waitFor(PATIENCE);
  }

  async function signOut() {
    await page.getByTestId('log-out').click();
    await page.waitForURL(`${base}/`, PATIENCE);
  }

  /** The findings of axe against WCAG A and AA, in both themes. */
  async function findings(where) {
    const found = [];
    for (const theme of ['dark', 'light']) {
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      // `evaluate` and not a script element, because the content security policy of the page forbids foreign scripts.
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => (await window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`));
      found.push(...violations.map((violation) => `${where}, ${theme}: ${violation}`));
    }
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'));
    return found;
  }

  return { signIn, signedIn, signOut, findings };
}
