//! The SQL statements of the store, for tests that look at each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns all statements of the store, by the paths of their files. A statement can consist of several files (the macro `sql` of the store); its
/// name is that of the last one.
pub fn statements() -> Vec<(String, String)> {
    let store = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../store");
    let root = store.join("sql");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("a statement");
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    let mut shared = BTreeSet::new();
    for source in sources(&store.join("src")) {
        for call in std::fs::read_to_string(source).expect("a source").split("sql!(").skip(1) {
            let paths: Vec<String> = call
                .split(')')
                .next()
                .unwrap_or_default()
                .split(',')
                .map(|path| format!("{}.sql", path.trim().trim_matches('"')))
                .collect();
            if let [first @ .., last] = &paths[..]
                && !first.is_empty()
            {
                shared.extend(first.iter().cloned());
                joined.insert(last.clone(), paths.iter().map(|name| read(name)).collect());
            }
        }
    }
    let files = entries(&root).into_iter().flat_map(|noun| entries(&noun));
    let names = files.map(|file| file.strip_prefix(&root).expect("below").to_str().expect("a name").to_owned());
    let statement = |name: String| {
        let text = joined.get(&name).cloned().unwrap_or_else(|| read(&name));
        (name, text)
    };
    names.filter(|name| !shared.contains(name)).map(statement).collect()
}

/// Returns the source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
}
