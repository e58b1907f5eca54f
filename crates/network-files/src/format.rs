//! Recognises the format of files by their content.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::bundle::{self, Part};
use crate::own_csv::{self, CsvFile};
use crate::{ImportError, Imported, Note, cim, pandapower, scl, simbench};

/// Reads a network from a file, a folder or a zip of any known format.
pub fn read(path: &Path) -> Result<Imported, ImportError> {
    from_parts(bundle::open(&[path])?)
}

/// Reads a network from several files together, such as the files of the CGMES profiles.
pub fn read_all(paths: &[impl AsRef<Path>]) -> Result<Imported, ImportError> {
    let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    from_parts(bundle::open(&paths)?)
}

/// Reads a network from an uploaded file, which may be a zip. The name is only used in messages.
pub fn read_bytes(name: &str, bytes: Vec<u8>) -> Result<Imported, ImportError> {
    from_parts(bundle::from_bytes(name, bytes)?)
}

fn from_parts(parts: Vec<Part>) -> Result<Imported, ImportError> {
    let starts_with = |part: &Part, first: char| part.text.trim_start_matches('\u{feff}').trim_start().starts_with(first);
    if let [part] = parts.as_slice()
        && starts_with(part, '{')
    {
        return if is_own_json(&part.text) { own_json(&part.text) } else { pandapower::import(&part.text) };
    }
    if parts.iter().any(|part| part.name == simbench::NODES) {
        return simbench::import_parts(&parts);
    }
    if parts.iter().any(|part| part.name == own_csv::NODES.0) {
        let files: Vec<CsvFile> = parts.into_iter().map(|part| CsvFile { name: part.name, text: part.text }).collect();
        return own_csv::import(&files);
    }
    // Beside the files of a network there may be others, such as a text to read.
    let (xml, others): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|part| starts_with(part, '<'));
    let has_root = |name: &str| xml.iter().any(|part| root_name(&part.text) == Some(name));
    let mut imported = if has_root("RDF") {
        cim::import_parts(&xml)?
    } else if has_root("SCL") {
        scl::import_parts(&xml)?
    } else {
        return Err(ImportError::UnknownFormat);
    };
    let left_out = others.into_iter().map(|part| Note::new(part.name, "left out, because it is no XML, and the files beside it are"));
    imported.notes.extend(left_out);
    Ok(imported)
}

/// Returns the name of the root of an XML document, without its prefix.
fn root_name(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.split_once('<')?.1;
        let end = [("!--", "-->"), ("?", "?>"), ("!", ">")].into_iter().find(|(begin, _)| rest.starts_with(begin));
        let Some((_, end)) = end else { break };
        rest = rest.split_once(end)?.1;
    }
    let name = rest.split(|letter: char| letter.is_whitespace() || matches!(letter, '>' | '/')).next()?;
    name.rsplit(':').next()
}

/// The keys by which JSON files are distinguished: one that only files of pandapower have, and those of our own format.
#[derive(Deserialize)]
struct Marks {
    #[serde(rename = "_class")]
    pandapower: Option<IgnoredAny>,
    containers: Option<IgnoredAny>,
    nodes: Option<IgnoredAny>,
    equipment: Option<IgnoredAny>,
}

fn is_own_json(text: &str) -> bool {
    serde_json::from_str::<Marks>(text).is_ok_and(|marks| {
        let has_part = [marks.containers, marks.nodes, marks.equipment].iter().any(Option::is_some);
        marks.pandapower.is_none() && has_part
    })
}

/// Reads our own JSON, which contains a complete description. It may be incomplete; the check of the description then
/// reports the errors.
fn own_json(text: &str) -> Result<Imported, ImportError> {
    let description = serde_json::from_str(text).map_err(ImportError::Json)?;
    Ok(Imported { description, notes: Vec::new(), classes: BTreeMap::new() })
}
