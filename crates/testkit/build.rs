//! Computes a fingerprint of the database schema, so that tests share a migrated template only if their schema is the same.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let store = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../store");
    let mut hasher = DefaultHasher::new();
    for part in ["migrations", "sql", "src"] {
        let folder = store.join(part);
        println!("cargo::rerun-if-changed={}", folder.display());
        hash_folder(&folder, &mut hasher)?;
    }
    println!("cargo::rustc-env=STORE_FINGERPRINT={:016x}", hasher.finish());
    Ok(())
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_folder(&path, hasher)?;
        } else {
            path.file_name().hash(hasher);
            fs::read(&path)?.hash(hasher);
        }
    }
    Ok(())
}
