//! Reads the sources of the repository for the tests that check them.

use std::path::{Path, PathBuf};

/// Folders with files that were generated, or written by others.
const SKIPPED: [&str; 7] = ["target", "node_modules", ".git", "var", "dist", ".venv", "test-results"];
/// Files and folders that are generated; the test of each one names the generator.
const GENERATED: [&str; 4] = ["web/src/wire/schema.ts", "docs/api/", "docs/REPORTS.md", "docs/DATABASE.md"];

/// A source file.
pub(crate) struct Source {
    /// Path relative to the repository, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Returns the root folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// Returns all source files with one of these extensions, without generated ones.
pub(crate) fn sources(extensions: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), &root(), extensions, &mut found);
    assert!(extensions.contains(&"tsx") || !found.is_empty(), "no sources: the test looks in the wrong place");
    found
}

fn collect(root: &Path, folder: &Path, extensions: &[&str], found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let file_name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !SKIPPED.contains(&file_name.as_str()) {
                collect(root, &path, extensions, found);
            }
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|expected| extension == *expected)) {
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
            let is_generated = GENERATED.iter().any(|generated| name.starts_with(generated));
            // A file can disappear in the meantime, for example when an editor saves it.
            if let (false, Ok(text)) = (is_generated, std::fs::read_to_string(&path)) {
                found.push(Source { name, text });
            }
        }
    }
}
