// Two ways to fill in the screen of reports, by pointer and by keyboard only, and a walk through all reports of the server's catalogue.
import assert from 'node:assert/strict';
import { PATIENCE } from './door.mjs';

/** Finds visible fields by test id. The screen of reports remains in the page while another tab is shown. */
export const shown = (page) => (testId) => page.locator(`[data-testid="${testId}"]:visible`).first();

const filled = (page, testId, value) => page.waitForFunction(([testId, value]) => [...document.querySelectorAll(`[data-testid="${testId}"]`)].some((list) => list.checkVisibility() && [...(list.options ?? [])].some((option) => option.value === value)), [testId, String(value)], PATIENCE);

/** Selects, writes and clicks with a pointer. */
export function aPointer(page) {
  const at = shown(page);
  return {
    choose: async (testId, value) => {
      await filled(page, testId, value);
      await at(testId).selectOption(String(value));
    },
    write: (testId, text) => at(testId).fill(text),
    press: (testId) => at(testId).click(),
  };
}

/** The same actions with Tab, arrows, digits and Enter only. The test itself sets no focus and no values. */
export function keysAlone(page) {
  const where = (testId) =>
    page.evaluate((testId) => {
      const target = [...document.querySelectorAll(`[data-testid="${testId}"]`)].find((one) => one.checkVisibility());
      const own = document.activeElement;
      if (!target || target === own) return target ? 'there' : 'nowhere';
      return own?.compareDocumentPosition(target) & window.Node.DOCUMENT_POSITION_PRECEDING ? 'before' : 'after';
    }, testId);
  const to = async (testId) => {
    let place = await where(testId);
    for (let count = 0; count < 120 && place !== 'there'; count += 1) {
      await page.keyboard.press(place === 'before' ? 'Shift+Tab' : 'Tab');
      place = await where(testId);
    }
    assert.equal(place, 'there', `the keys reach ${testId}`);
  };
  return {
    to,
    choose: async (testId, value) => {
      await filled(page, testId, value);
      await to(testId);
      const steps = await page.evaluate((value) => {
        const { options, selectedIndex } = document.activeElement;
        return [...options].findIndex((option) => option.value === value) - selectedIndex;
      }, String(value));
      for (let count = 0; count < Math.abs(steps); count += 1) await page.keyboard.press(steps < 0 ? 'ArrowUp' : 'ArrowDown');
      assert.equal(await page.evaluate(() => document.activeElement.value), String(value), testId);
    },
    /** Types a date as the screens write it: DD MMM YYYY. */
    write: async (testId, text) => {
      await to(testId);
      const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
      const name = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][Number(month) - 1];
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(`${day} ${name} ${year}`);
      assert.equal(await page.evaluate(() => document.activeElement.dataset.value), text, testId);
    },
    press: async (testId) => {
      await to(testId);
      await page.keyboard.press('Enter');
    },
  };
}

/** Actions that complete each frequency; initial values may stay. `now` is the utility's present time. The demo has only a short history. */
export function completions(now = new Date()) {
  const [year, month] = [now.getFullYear(), now.getMonth() + 1];
  const april = month < 4 ? year - 1 : year;
  const day = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
  return {
    1: [],
    2: [['choose', 'part-month', month], ['choose', 'part-year', year]],
    3: [['choose', 'part-quarter', Math.ceil(month / 3)], ['choose', 'part-year', year]],
    4: [['choose', 'part-financialYear', `${april}-${april + 1}`]],
    5: [],
    6: [['write', 'part-from', day], ['write', 'part-to', day]],
    7: [],
    9: [],
  };
}

/** All combinations of a catalogue: each report with each of its frequencies, and in real time if it supports this. */
export function questionsOf(reports) {
  return reports.flatMap((report) => [...(report.Historic ? report.ReportFrequencyListIds.map((frequency) => ({ report, frequency })) : []), ...(report.RealTime ? [{ report, frequency: null }] : [])]);
}

/** Some of the combinations, which contain each report and each frequency at least once. */
export function eachOnce(questions) {
  const seen = new Set();
  return questions.filter(({ report, frequency }) => {
    const isNew = !seen.has(`report ${report.ReportId}`) || !seen.has(`frequency ${frequency}`);
    seen.add(`report ${report.ReportId}`).add(`frequency ${frequency}`);
    return isNew;
  });
}

/** Selects a report, its type if it has two, its frequency, and the parts of the period. */
export async function fillIn(hand, { report, frequency }) {
  const type = frequency === null ? 'RealTime' : 'Historic';
  await hand.choose('report-report', report.ReportId);
  // A single type is selected automatically.
  if (report.Historic && report.RealTime) await hand.choose('report-type', type);
  if (frequency === null) return;
  await hand.choose('report-frequency', frequency);
  for (const [act, testId, value] of completions()[frequency]) await hand[act](testId, value);
}

/** Shows the selected report. Returns request and answer, and checks that the page shows the answer. */
export async function askedFor(page, hand, { report, frequency }, level) {
  const name = `${report.ReportKey}, frequency ${frequency}, ${level}`;
  const [answer] = await Promise.all([page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().includes('/api/reports/show'), PATIENCE), hand.press('show-data')]);
  const text = await answer.text();
  assert.equal(answer.status(), 200, `${name}: ${text}`);
  const sent = answer.request().postDataJSON();
  assert.deepEqual([sent.report, sent.reportType, sent.level, sent.levelId.length, sent.frequency], [report.ReportKey, frequency === null ? 'realtime' : 'historic', level, 1, frequency ?? 5], name);
  const { columns, rows } = JSON.parse(text).result;
  await shown(page)(rows.length > 0 ? 'report-row' : 'report-nothing').waitFor(PATIENCE);
  if (rows.length > 0) assert.equal(await page.locator('[data-testid=report-rows] thead th').count(), columns.length, name);
  return { sent, rows: rows.length };
}
