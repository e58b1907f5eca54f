// A place in an address, base64-encoded: divId, then asptId, then asstId (specification 2, sections 2.2 and 4). It is not secret and not
// trusted: the server's lists for the user must contain the place. Pure.

export interface Preset {
  readonly level: 'division' | 'substation' | 'asset';
  readonly id: number;
  /** The substation of an asset; null for other places. */
  readonly substation: number | null;
}

/** Reads a place from a query that is base64 as a whole or in `q`. Null if it has none. */
export function readPreset(search: string): Preset | null {
  const encoded = new URLSearchParams(search).get('q') ?? search.replace(/^\?/, '').split('&')[0] ?? '';
  const text = decoded(encoded);
  if (text === null) return null;
  const ids = new URLSearchParams(text.replaceAll(',', '&'));
  const id = (name: string) => {
    const value = ids.get(name);
    return value !== null && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null;
  };
  const [division, substation, asset] = [id('divId'), id('asptId'), id('asstId')];
  if (division === null) return null;
  if (substation === null) return { level: 'division', id: division, substation: null };
  return asset === null ? { level: 'substation', id: substation, substation } : { level: 'asset', id: asset, substation };
}

/** Returns the query of a place. */
export function writePreset(division: number, substation?: number | null, asset?: number | null): string {
  const pairs = [`divId=${division}`, substation ? `asptId=${substation}` : '', substation && asset ? `asstId=${asset}` : ''];
  return `?q=${encodeURIComponent(btoa(pairs.filter(Boolean).join('&')))}`;
}

/** Largest length of an encoded place. Three ids need less. */
const LENGTH_MAX = 200;

function decoded(encoded: string): string | null {
  // A query can contain `+` as a space.
  // The padding is not needed, and rewriting an address can add a `=` to an encoded place without padding.
  const text = encoded.replaceAll(' ', '+').replaceAll('%3D', '=').replace(/={1,3}$/, '');
  if (text === '' || text.length > LENGTH_MAX || !/^[A-Za-z0-9+/_-]+$/.test(text)) return null;
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return null;
  }
}
