// The entries that match a search text, best first. Pure.

interface Named {
  readonly name: string;
  readonly detail: string;
}

const SHOWN_MAX = 30;

/** Where a word stands in a text: at its start, at the start of a word, inside of a word, or nowhere. The smaller, the better. */
function placeOf(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at <= 0) return at === 0 ? 0 : 3;
  return text.split(/[^\p{L}\p{N}]+/u).some((own) => own.startsWith(word)) ? 1 : 2;
}

/**
 * The rank of an entry for the words of a search; null if a word does not occur. An entry with all words in its own name is better than one
 * that only lies in such a place, and a word at the start of the name is better than one inside of it.
 */
function rankOf({ name, detail }: Named, words: readonly string[]): number | null {
  const [own, all] = [name.toLowerCase(), `${name} ${detail}`.toLowerCase()];
  if (!words.every((word) => all.includes(word))) return null;
  const inName = words.filter((word) => own.includes(word)).length;
  const isWhole = own === words.join(' ') ? 0 : 1;
  return (words.length - inName) * 100 + isWhole * 10 + placeOf(words[0] ?? '', own);
}

/** The entries in which every word of the text occurs, best first. Without a text all entries in their order. */
export function matches<T extends Named>(entries: readonly T[], typed: string, max: number = SHOWN_MAX): readonly T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.slice(0, max);
  const ranked = entries.flatMap((entry) => {
    const rank = rankOf(entry, words);
    return rank === null ? [] : [{ entry, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank || a.entry.name.localeCompare(b.entry.name))
    .slice(0, max)
    .map(({ entry }) => entry);
}
