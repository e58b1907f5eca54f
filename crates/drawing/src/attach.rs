//! Which asset of the substation a symbol of a foreign file shows: by code.
//!
//! A foreign file names things by a path (`D1/Q01/QA1`); an asset has a code (`Q01QA1`). They are compared without case and punctuation: the whole
//! path first, then its ends. A name that several things of the file share says nothing by itself.

use std::collections::{HashMap, HashSet};

use crate::fault::shown;
use crate::layout::{Asset, Item, Kind, fill};
use crate::schema::{File, Kv};

/// What came of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The drawing.
    pub file: File,
    /// What found no place or no asset, a line each.
    pub notes: Vec<String>,
}

/// The assets of a substation, and which of them have been found.
#[derive(Debug)]
pub(crate) struct Matcher<'a> {
    assets: HashMap<String, &'a Asset>,
    used: HashSet<String>,
    /// How often each name ends a path of the file.
    ends: HashMap<String, usize>,
    unmatched: Vec<String>,
}

fn bare(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Each end of a path, the whole first.
fn ends(path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split('/').collect();
    (0..parts.len()).map(|from| bare(&parts[from..].concat())).collect()
}

impl<'a> Matcher<'a> {
    /// For a file with these paths.
    pub(crate) fn new<'b>(assets: &'a [Asset], paths: impl Iterator<Item = &'b str>) -> Self {
        let mut counts = HashMap::new();
        for end in paths.flat_map(ends) {
            *counts.entry(end).or_insert(0) += 1;
        }
        // Of two codes that are the same but for punctuation neither is meant.
        let mut by_code: HashMap<String, Option<&Asset>> = HashMap::new();
        for asset in assets {
            by_code.entry(bare(&asset.code)).and_modify(|found| *found = None).or_insert(Some(asset));
        }
        let assets = by_code.into_iter().filter_map(|(code, asset)| Some((code, asset?))).collect();
        Self { assets, used: HashSet::new(), ends: counts, unmatched: Vec::new() }
    }

    /// The asset of a path.
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

    /// Gives a symbol the asset of its path.
    pub(crate) fn attach(&mut self, item: &mut Item, path: &str) {
        if let Some(asset) = self.find(path) {
            fill(item, asset);
            item.kv = item.kv.or_else(|| asset.kv.and_then(|kv| Kv::try_from(kv).ok()));
            // A line is a line to the file; the registry knows which of them come in.
            if item.kind == Kind::Feeder && asset.type_id == 4 {
                item.kind = Kind::Source;
            }
        }
    }

    /// What found no asset, a line each, and how many assets stand nowhere.
    pub(crate) fn told(self) -> Vec<String> {
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
        let told = matcher.told();
        assert_eq!(told.len(), 3);
        assert_eq!(told[0], "\"S/F2/CB\" is no asset of the substation");
    }
}
