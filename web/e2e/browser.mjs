// A real Chromium with a fresh profile and without background network traffic.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Opens a browser. Returns {page, errors, close}. `errors` collects all exceptions and logged errors of the page. */
export async function openBrowser({ width = 1600, height = 1000 } = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'switchyard-e2e-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.SWITCHYARD_TEST_CHROMIUM || '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS,
    viewport: { width, height },
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  return {
    page,
    errors,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
