// Tests that the files in public/Images match the artwork. `npx vitest run -u` writes them again.
import { expect, test } from 'vitest';
import { SETS } from './artwork';
import { files } from './svg';

const all = Object.entries(SETS).flatMap(([folder, set]) => [...files(set)].map(([name, text]) => [`${folder}/${name}`, text] as const));

test.each(all)('%s', async (path, text) => {
  await expect(text).toMatchFileSnapshot(`../../../../public/Images/${path}`);
});

test('every state of a device has a figure of its own shape in both sets', () => {
  for (const set of Object.values(SETS)) {
    for (const name of ['breaker', 'isolator', 'earth-switch'] as const) {
      const { open, closed, between } = set[name];
      const shapes = [open, closed, between].map((strokes) => strokes?.map(({ d, fill, dash }) => `${d}${fill ?? ''}${dash ?? ''}`).join());
      expect(new Set(shapes).size).toBe(3);
    }
  }
});
