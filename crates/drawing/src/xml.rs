//! Parses untrusted XML: no document type and therefore no entities, limited depth and size, errors with line and column.

use roxmltree::{Document, Node, ParsingOptions};

use crate::fault::Fault;

/// Largest nesting depth; a substation needs 6, a diagram a few more.
const DEPTH_MAX: usize = 64;

/// Parses a text with at most `nodes_max` nodes.
pub(crate) fn parse(text: &str, nodes_max: u32) -> Result<Document<'_>, Fault> {
    too_deep(text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: nodes_max, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let what = match error {
            roxmltree::Error::DtdDetected => "a document type declaration: none is needed, and entities are not read".to_owned(),
            roxmltree::Error::NodesLimitReached => format!("more than {nodes_max} elements and texts"),
            roxmltree::Error::UnexpectedDeclaration(_) => {
                "an XML declaration that is not the beginning of the file: remove what is before it".to_owned()
            }
            other => other.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect(),
        };
        Fault { line: at.row as usize, column: at.col as usize, what }
    })
}

/// Refuses a text that is nested too deeply, before anything is built from it. It only counts tags. Tags in comments and CDATA are counted too, so it can only
/// be too strict.
fn too_deep(text: &str) -> Result<(), Fault> {
    let mut depth = 0_usize;
    let mut rest = 0;
    let bytes = text.as_bytes();
    while let Some(at) = text[rest..].find('<').map(|at| rest + at) {
        rest = at + 1;
        match bytes.get(rest) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(b'!' | b'?') | None => {}
            Some(_) => {
                let Some(end) = text[rest..].find('>').map(|end| rest + end) else { break };
                if bytes[end - 1] != b'/' {
                    depth += 1;
                }
                if depth > DEPTH_MAX {
                    return Err(Fault::at(text, at, format!("elements go deeper than {DEPTH_MAX}")));
                }
                rest = end;
            }
        }
    }
    Ok(())
}

/// Creates a fault at an element.
pub(crate) fn fault(text: &str, node: Node, what: impl Into<String>) -> Fault {
    Fault::at(text, node.range().start, what)
}
