//! The files of an import: one file, all files of a folder, or all files of a zip.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use crate::{ImportError, SIZE_LIMIT};

/// The largest number of files in a folder or a zip.
pub(crate) const FILES_MAX: usize = 500;

/// The first bytes of a zip.
const ZIP: &[u8] = b"PK\x03\x04";

/// A file with its name, without its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Reads the files at some paths.
pub(crate) fn open(paths: &[&Path]) -> Result<Vec<Part>, ImportError> {
    let mut parts = Parts::default();
    for path in paths {
        parts.add_path(path)?;
    }
    Ok(parts.list)
}

/// Creates the bundle from an uploaded file, which may be a zip.
pub(crate) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Vec<Part>, ImportError> {
    let mut parts = Parts::default();
    let size = bytes.len() as u64;
    parts.add(name.to_owned(), bytes, size, true)?;
    Ok(parts.list)
}

#[derive(Default)]
struct Parts {
    list: Vec<Part>,
    /// The size of all files together, unpacked.
    size: u64,
}

impl Parts {
    /// Adds a file, or the files of a folder.
    fn add_path(&mut self, path: &Path) -> Result<(), ImportError> {
        if !path.is_dir() {
            return self.add_file(path);
        }
        let refuse = |error: std::io::Error| ImportError::File { file: path.display().to_string(), reason: error.to_string() };
        let mut files: Vec<_> = std::fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>())
            .map_err(refuse)?;
        files.retain(|file| file.is_file());
        files.sort();
        files.iter().try_for_each(|file| self.add_file(file))
    }

    /// Adds a file up to the maximum size. The limit is needed because the path may name a device that never ends.
    fn add_file(&mut self, path: &Path) -> Result<(), ImportError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let refuse = |error: std::io::Error| ImportError::File { file: path.display().to_string(), reason: error.to_string() };
        let mut bytes = Vec::new();
        let left = SIZE_LIMIT - self.size;
        let size = File::open(path).and_then(|file| file.take(left + 1).read_to_end(&mut bytes)).map_err(refuse)? as u64;
        self.add(name, bytes, size, true)
    }

    fn add(&mut self, name: String, bytes: Vec<u8>, size: u64, may_be_zip: bool) -> Result<(), ImportError> {
        if self.size + size > SIZE_LIMIT {
            return Err(ImportError::TooLarge(self.size + size));
        }
        if bytes.starts_with(ZIP) {
            // An inner zip counts too: entries that inflate to empty zips would take minutes to inflate.
            self.size += if name.contains(INNER) { size } else { 0 };
            // A profile of CGMES is often a zip in the zip of the network. Deeper ones are refused.
            return if may_be_zip { self.unpack(&name, bytes) } else { Err(ImportError::File { file: name, reason: TOO_DEEP.to_owned() }) };
        }
        self.size += size;
        if self.list.len() == FILES_MAX {
            return Err(ImportError::File { file: name, reason: format!("there are more than {FILES_MAX} files") });
        }
        let text = String::from_utf8(bytes).or_else(|error| of_latin(&name, error))?;
        self.list.push(Part { name, text });
        Ok(())
    }

    fn unpack(&mut self, file: &str, bytes: Vec<u8>) -> Result<(), ImportError> {
        let refuse = |reason: String| ImportError::File { file: file.to_owned(), reason };
        let is_inner = file.contains(INNER);
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| refuse(error.to_string()))?;
        if archive.len() > FILES_MAX {
            return Err(refuse(format!("it has {} files; allowed are {FILES_MAX}", archive.len())));
        }
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(|error| refuse(error.to_string()))?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name().map_err(|error| refuse(error.to_string()))?.into_owned();
            let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            // The sizes in a zip are not trusted: it is read up to the limit.
            let mut bytes = Vec::new();
            let left = SIZE_LIMIT - self.size;
            let size = entry.take(left + 1).read_to_end(&mut bytes).map_err(|error| refuse(error.to_string()))? as u64;
            let name = if bytes.starts_with(ZIP) { format!("{file}{INNER}{name}") } else { name };
            self.add(name, bytes, size, !is_inner)?;
        }
        Ok(())
    }
}

/// The text between the name of a zip and the name of a zip inside of it.
const INNER: &str = ": ";

const TOO_DEEP: &str = "it is a zip in a zip in a zip; allowed is one zip in another";

/// Decodes ISO 8859-1, which SimBench and spreadsheet programs in Western Europe write.
fn of_latin(name: &str, error: std::string::FromUtf8Error) -> Result<String, ImportError> {
    if !name.to_ascii_lowercase().ends_with(".csv") {
        return Err(ImportError::File { file: name.to_owned(), reason: "it is not UTF-8".to_owned() });
    }
    Ok(error.into_bytes().into_iter().map(char::from).collect())
}
