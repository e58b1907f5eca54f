//! The sources of the repository, for the tests that read them all.

use std::path::{Path, PathBuf};

/// Folders that hold what others wrote, or what a program has made.
const SKIPPED: [&str; 7] = ["target", "node_modules", ".git", "var", "dist", ".venv", "test-results"];
/// Files and folders that a program writes; the test of each says how.
const GENERATED: [&str; 3] = ["web/src/wire/schema.ts", "docs/api/", "docs/REPORTS.md"];

/// A source file.
pub(crate) struct Source {
    /// Relative to the repository, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// All source files with one of these extensions, without generated ones.
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
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
            let is_generated = GENERATED.iter().any(|generated| name.starts_with(generated));
            // A file can disappear meanwhile, when an editor saves it.
            if let (false, Ok(text)) = (is_generated, std::fs::read_to_string(&path)) {
                found.push(Source { name, text });
            }
        }
    }
}
