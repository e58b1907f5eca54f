//! Finds the asset of each symbol of an imported file, by code.
//!
//! An imported file identifies a symbol by a path (`D1/Q01/QA1`); an asset has a code (`Q01QA1`). They are compared without case and punctuation: first the
//! whole path, then its ends. An end is not used if several paths have it.

use std::collections::{HashMap, HashSet};

use crate::fault::shown;
use crate::layout::{Asset, Item, SymbolKind, fill};
use crate::schema::{File, Kv};

/// The result of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The drawing.
    pub file: File,
    /// Notes about symbols without a position or an asset, one line for each.
    pub notes: Vec<String>,
}

/// The assets of a substation, and which of them have been matched.
#[derive(Debug)]
pub(crate) struct Matcher<'a> {
    assets: HashMap<String, &'a Asset>,
    used: HashSet<String>,
    /// For each end of a path, the number of paths in the file that have this end.
    ends: HashMap<String, usize>,
    unmatched: Vec<String>,
}

fn bare(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns each end of a path, the whole path first.
fn ends(path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split('/').collect();
    (0..parts.len()).map(|from| bare(&parts[from..].concat())).collect()
}

impl<'a> Matcher<'a> {
    /// Creates a matcher for a file with these paths.
    pub(crate) fn new<'b>(assets: &'a [Asset], paths: impl Iterator<Item = &'b str>) -> Self {
        let mut counts = HashMap::new();
        for end in paths.flat_map(ends) {
            *counts.entry(end).or_insert(0) += 1;
        }
        // Codes that differ only in punctuation are ambiguous; none of them is used.
        let mut by_code: HashMap<String, Option<&Asset>> = HashMap::new();
        for asset in assets {
            by_code.entry(bare(&asset.code)).and_modify(|found| *found = None).or_insert(Some(asset));
        }
        let assets = by_code.into_iter().filter_map(|(code, asset)| Some((code, asset?))).collect();
        Self { assets, used: HashSet::new(), ends: counts, unmatched: Vec::new() }
    }

    /// Finds the asset of a path.
    pub(crate) fn find(&mut self, path: &str) -> Option<&'a Asset> {
        let good = |end: &String| self.ends.get(end).is_none_or(|count| *count == 1) && !self.used.contains(end);
        let found = ends(path).into_iter().filter(good).find_map(|end| self.assets.get(&end).map(|asset| (end, *asset)));
        let Some((end, asset)) = found else {
            self.unmatched.push(path.to_owned());
            return None;
        };
        self.used.insert(end);
        Some(asset)
    }

    /// Sets the asset of a symbol by its path.
    pub(crate) fn attach(&mut self, item: &mut Item, path: &str) {
        if let Some(asset) = self.find(path) {
            fill(item, asset);
            item.kv = item.kv.or_else(|| asset.kv.and_then(|kv| Kv::try_from(kv).ok()));
            // The file does not distinguish incoming lines from feeders; the registry does.
            if item.kind == SymbolKind::Feeder && asset.type_id == 4 {
                item.kind = SymbolKind::Source;
            }
        }
    }

    /// Returns a line for each path without an asset, and one with the number of assets that are not in the file.
    pub(crate) fn into_notes(self) -> Vec<String> {
        let mut lines: Vec<String> = self.unmatched.iter().map(|path| format!("{} is no asset of the substation", shown(path))).collect();
        let rest = self.assets.len() - self.used.len();
        if rest > 0 && !self.assets.is_empty() {
            lines.push(format!("{rest} assets of the substation are not in the file"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_codes_by_their_longest_end() {
        let asset = |code: &str| Asset { code: code.to_owned(), ..Asset::default() };
        let assets = [asset("F1CB"), asset("E2-QA1"), asset("TX1"), asset("a.b"), asset("AB")];
        let paths = ["S/F1/CB", "S/F2/CB", "S/E1/QA1", "S/E2/QA1", "S/TX1", "S/ab"];
        let mut matcher = Matcher::new(&assets, paths.into_iter());
        let found: Vec<Option<&str>> = paths.iter().map(|path| matcher.find(path).map(|asset| asset.code.as_str())).collect();
        assert_eq!(found, [Some("F1CB"), None, None, Some("E2-QA1"), Some("TX1"), None]);
        let notes = matcher.into_notes();
        assert_eq!(notes.len(), 3);
        assert_eq!(notes[0], "\"S/F2/CB\" is no asset of the substation");
    }
}
