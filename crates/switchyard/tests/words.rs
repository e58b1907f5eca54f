//! Tests that words which docs/STYLE.md replaces are not used again. `word_list.txt` has these words and their remaining uses in each part of the
//! repository. The numbers only decrease.

mod sources;

use std::collections::BTreeMap;

use sources::sources;

/// Files that quote the words.
const QUOTING: [&str; 3] = ["docs/GLOSSARY.md", "docs/STYLE.md", "crates/switchyard/tests/words.rs"];

/// Number of uses, by part of the repository and word.
type Uses = BTreeMap<(String, String), usize>;

/// The content of `word_list.txt`.
struct List {
    /// The words, each with its replacement.
    replacements: BTreeMap<String, String>,
    /// The remaining uses.
    left: Uses,
}

impl List {
    /// Parses lines `WORD = REPLACEMENT` and `PART: WORD COUNT`. A word can be a phrase.
    fn parse(text: &str) -> Self {
        let mut list = Self { replacements: BTreeMap::new(), left: Uses::new() };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some((word, replacement)) = line.split_once(" = ") {
                list.replacements.insert(word.to_owned(), replacement.to_owned());
                continue;
            }
            let (part, word, count) = line
                .split_once(": ")
                .and_then(|(part, rest)| rest.rsplit_once(' ').map(|(word, count)| (part, word, count)))
                .unwrap_or_else(|| panic!("neither a word nor a count: {line}"));
            list.left.insert((part.to_owned(), word.to_owned()), count.parse().expect("a count"));
        }
        list
    }

    /// Counts the words in all sources.
    fn count(&self) -> Uses {
        let mut uses = Uses::new();
        for source in sources(&["rs", "ts", "tsx", "md", "toml", "sql"]) {
            if QUOTING.contains(&source.name.as_str()) {
                continue;
            }
            let words = words_of(&source.text);
            for word in self.replacements.keys() {
                let count = words.matches(&format!(" {word} ")).count();
                if count > 0 {
                    *uses.entry((part_of(&source.name), word.clone())).or_default() += count;
                }
            }
        }
        uses
    }
}

/// Returns the words of a text in lower case, separated and enclosed by single spaces. Names in camel case and snake case are split into their words.
fn words_of(text: &str) -> String {
    let mut words = String::from(" ");
    let mut is_after_lower_case = false;
    for letter in text.chars() {
        if letter.is_ascii_alphabetic() {
            if letter.is_ascii_uppercase() && is_after_lower_case {
                words.push(' ');
            }
            words.push(letter.to_ascii_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
        is_after_lower_case = letter.is_ascii_lowercase();
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

/// Returns the crate or the folder of a file.
fn part_of(name: &str) -> String {
    match name.split('/').collect::<Vec<_>>().as_slice() {
        ["crates", package, _, ..] => format!("crates/{package}"),
        [folder, _, ..] => (*folder).to_owned(),
        _ => "repository".to_owned(),
    }
}

#[test]
fn replaced_words_do_not_come_back() {
    let text = include_str!("word_list.txt");
    let list = List::parse(text);
    let found = list.count();
    if found == list.left {
        return;
    }
    let head = text.lines().take_while(|line| line.is_empty() || line.starts_with('#') || line.contains(" = ")).map(str::to_owned);
    let uses = found.iter().map(|((part, word), count)| format!("{part}: {word} {count}"));
    let fresh = head.chain(uses).collect::<Vec<_>>().join("\n") + "\n";
    let path = std::env::temp_dir().join("word_list.txt");
    std::fs::write(&path, fresh).expect("writable");
    let mut more = Vec::new();
    for (place, count) in &found {
        let (part, word) = place;
        let allowed = list.left.get(place).copied().unwrap_or_default();
        if *count > allowed {
            more.push(format!("{part}: \"{word}\" is used {count} times, {allowed} are allowed. Write: {}", list.replacements[word]));
        }
    }
    assert!(
        more.is_empty(),
        "words that docs/STYLE.md replaces:\n{}\n\nA file that has moved to another part takes its numbers along: {} has them.",
        more.join("\n"),
        path.display()
    );
    panic!("fewer of the words are left than word_list.txt says: copy {} over it", path.display());
}

#[test]
fn words_are_found_in_texts_and_names() {
    let cases = [
        ("", " "),
        ("It is told.", " it is told "),
        ("fn is_told(wanted: Told)", " fn is told wanted told "),
        ("toldAnew", " told anew "),
        ("retold", " retold "),
        ("// unless\n    // told", " unless told "),
    ];
    for (text, expected) in cases {
        assert_eq!(words_of(text), expected, "{text}");
    }
}

#[test]
fn files_belong_to_their_crate_or_folder() {
    let cases = [
        ("crates/grid/src/lib.rs", "crates/grid"),
        ("api/src/state.rs", "api"),
        ("docs/API.md", "docs"),
        ("README.md", "repository"),
        ("Cargo.toml", "repository"),
    ];
    for (name, expected) in cases {
        assert_eq!(part_of(name), expected);
    }
}
