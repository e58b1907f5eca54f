// The entries that match a search text, best first. Pure.

interface Named {
  readonly name: string;
  readonly detail: string;
}

const SHOWN_MAX = 30;

/** Every word must occur. Entries that start with the first word are first, then entries with all words in their name. */
export function matches<T extends Named>(entries: readonly T[], typed: string): readonly T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.slice(0, SHOWN_MAX);
  const rank = ({ name, detail }: Named) => {
    const [own, all] = [name.toLowerCase(), `${name} ${detail}`.toLowerCase()];
    if (!words.every((word) => all.includes(word))) return null;
    return own.startsWith(words[0] ?? '') ? 0 : words.every((word) => own.includes(word)) ? 1 : 2;
  };
  const ranked = entries.flatMap((entry) => {
    const place = rank(entry);
    return place === null ? [] : [{ entry, place }];
  });
  return ranked
    .sort((a, b) => a.place - b.place || a.entry.name.localeCompare(b.entry.name))
    .slice(0, SHOWN_MAX)
    .map(({ entry }) => entry);
}
