// Waits until an element of the diagram stays at its position. The alarm line moves everything below it when it appears.
const LOOKS_MS = 250;

/** Returns the position of the named element in the page after it was the same twice. */
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
