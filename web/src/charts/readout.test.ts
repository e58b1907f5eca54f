// Tests of the common readout and legend of a column of charts.
import { expect, test, vi } from 'vitest';
import { Readout } from './readout';

const line = (label: string) => ({ label, colour: '#000000', isDashed: false });
const said = (label: string | null, text: string) => ({ label, colour: '#000000', text });

test('what charts say is put together by phase, in the order of the charts, what is no phase last', () => {
  const readout = new Readout();
  readout.offer('voltage', [line('R'), line('Y')]);
  readout.offer('current', [line('R'), line('Y')]);
  readout.offer('frequency', [line('Frequency')]);
  readout.say('frequency', { time: '19:26', said: [said(null, '49.99 Hz')] });
  readout.say('current', { time: '19:26', said: [said('R', '115 A'), said('Y', '112 A')] });
  readout.say('voltage', { time: '19:26', said: [said('R', '6.19 kV'), said('Y', '6.17 kV')] });
  expect(readout.snapshot()?.groups.map(({ label, texts }) => [label, ...texts])).toEqual([
    ['R', '6.19 kV', '115 A'],
    ['Y', '6.17 kV', '112 A'],
    [null, '49.99 Hz'],
  ]);
  for (const chart of ['voltage', 'current', 'frequency']) readout.say(chart, null);
  expect(readout.snapshot()).toBeNull();
});

test('the legend names each line once, and none that is alone in its chart; who leaves takes his along', () => {
  const readout = new Readout();
  const heard = vi.fn();
  readout.subscribe(heard);
  readout.offer('voltage', [line('R'), line('Y')]);
  const leave = readout.offer('energy', [line('R'), line('Import')]);
  readout.offer('frequency', [line('Frequency')]);
  expect(readout.named().map(({ label }) => label)).toEqual(['R', 'Y', 'Import']);
  leave();
  expect(readout.named().map(({ label }) => label)).toEqual(['R', 'Y']);
  expect(heard).toHaveBeenCalled();
});
