// Escaping of text in XML.

/** Characters that XML 1.0 does not allow. */
// eslint-disable-next-line no-control-regex -- the pattern must match control characters, because XML does not allow them
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escaped(text: string): string {
  return text.replace(NOT_IN_XML, '').replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}
