// Where an element of the diagram lies once the page does not move any more: a line of alarms that comes moves everything below it.
const LOOKS_MS = 250;

/** The point of the page at which the element with the name is, seen twice at the same place. */
export async function stillAt(page, name) {
  for (let before = '', looks = 0; looks < 40; looks += 1) {
    const { place } = await page.evaluate((wanted) => window.__switchyard.elements().find((element) => element.name === wanted), name);
    const box = await page.getByTestId('sld').boundingBox();
    const at = { x: box.x + place.x, y: box.y + place.y };
    if (JSON.stringify(at) === before) return at;
    before = JSON.stringify(at);
    await page.waitForTimeout(LOOKS_MS);
  }
  throw new Error(`${name} does not come to rest`);
}
