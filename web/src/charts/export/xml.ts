// Text inside of XML.

/** What XML 1.0 has no letters for. */
// eslint-disable-next-line no-control-regex -- these characters are what XML has no place for, and what is looked for
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escaped(text: string): string {
  return text.replace(NOT_IN_XML, '').replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}
