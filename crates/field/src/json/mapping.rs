//! Parses and checks mappings.

use serde::Deserialize;

use super::filter::Pattern;

/// Maximum number of mappings. Each mapping is a subscription.
pub const MAPPING_LIMIT: usize = 100;

/// The built-in mappings, in the form of a site's file but without topics and utility.
pub(super) const BUILTIN: [(&str, &str); 5] = [
    ("fledgepower-iec104", include_str!("builtin/fledgepower-iec104.toml")),
    ("neuron-values", include_str!("builtin/neuron-values.toml")),
    ("neuron-tags", include_str!("builtin/neuron-tags.toml")),
    ("flat", include_str!("builtin/flat.toml")),
    ("text", include_str!("builtin/text.toml")),
];

/// Returns the names of the built-in mappings.
pub(super) fn builtin_names() -> Vec<&'static str> {
    BUILTIN.iter().map(|(name, _)| *name).collect()
}

/// Why a mapping is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// Not TOML, or not of this form.
    #[error("the mappings cannot be read: {0}")]
    Syntax(String),
    /// Too many mappings.
    #[error("{0} mappings, {max} are allowed", max = MAPPING_LIMIT)]
    Many(usize),
    /// There is no built-in mapping with this name.
    #[error("mapping `{0}`: there is no shipped mapping of this name; there are {names}", names = builtin_names().join(", "))]
    Builtin(String),
    /// A required part is missing or invalid.
    #[error("mapping `{0}`: {1}")]
    Incomplete(String, String),
    /// Two mappings would deliver the same message twice.
    #[error("the topics of mapping `{0}` overlap those of {1}: its messages would come twice")]
    Overlap(String, String),
}

/// A file of mappings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MappingFile {
    #[serde(default, rename = "mapping")]
    pub(super) mappings: Vec<Written>,
}

/// A mapping as written in the file. Missing parts are taken from the built-in mapping that it names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    name: Option<String>,
    builtin: Option<String>,
    topic: Option<String>,
    group: Option<String>,
    node: Option<String>,
    device: Option<String>,
    format: Option<Format>,
    #[serde(default, rename = "record")]
    records: Vec<Record>,
}

/// The format of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// JSON.
    Json,
    /// One plain value.
    Text,
}

/// The positions of records in a payload. Pointers are RFC 6901, relative to the item; with the prefix `^`, relative to
/// the whole payload.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// The array or object whose entries are the items. `*` is the payload itself, or its entries if it is an array. If
    /// absent, the payload is the only item.
    #[serde(default)]
    pub(super) each: Option<String>,
    /// Template of the point's name: text, `{topic level}`, `{@key}` of the entry, `{/pointer}` or
    /// `{/pointer|/another}`.
    pub(super) point: String,
    /// Template of the device, if the items have different devices.
    #[serde(default)]
    pub(super) device: Option<String>,
    /// Pointers to the value; the first one that exists is used. Empty for items that only report that there is no
    /// value.
    #[serde(default)]
    pub(super) value: Vec<String>,
    #[serde(default)]
    pub(super) time: Option<Time>,
    #[serde(default)]
    pub(super) quality: Option<Quality>,
    /// Pointers to a Boolean or 0/1 that marks a late record, for the history only.
    #[serde(default)]
    pub(super) historical: Option<String>,
    /// Pointers to a Boolean or 0/1 that marks a negative confirmation (P/N of IEC 60870-5-101, 7.2.3), whose value is
    /// not from the process. The first one that exists is used.
    #[serde(default)]
    pub(super) negative: Vec<String>,
}

/// The position of the source time.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Time {
    /// Pointers; the first existing one counts.
    pub(super) at: Vec<String>,
    pub(super) unit: Unit,
    /// Pointers to a Boolean or 0/1 that marks an invalid time (IV of CP56Time2a). The first one that exists is used.
    #[serde(default)]
    pub(super) iv: Vec<String>,
}

/// The format of the source time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    S,
    Ms,
    Us,
    Ns,
    /// ISO 8601 with an offset.
    Iso,
}

/// The position and form of the quality. Default: good.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Quality {
    /// Bits of IEC 60870-5-101, each a Boolean or 0/1.
    Bits {
        #[serde(default)]
        iv: Vec<String>,
        #[serde(default)]
        bl: Vec<String>,
        #[serde(default)]
        ov: Vec<String>,
        #[serde(default)]
        sb: Vec<String>,
        #[serde(default)]
        nt: Vec<String>,
        /// Pointers to the T bit of the cause of transmission. If the bit is set, the value is from a test.
        #[serde(default)]
        test: Vec<String>,
    },
    /// An error code: 0 or absent is good.
    Error { error: String },
    /// A text or number; the listed ones are good.
    Good { at: String, good: Vec<serde_json::Value> },
}

/// A checked mapping.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    pub(super) name: String,
    pub(super) topic: Pattern,
    pub(super) group: String,
    pub(super) node: String,
    pub(super) device: String,
    pub(super) format: Format,
    pub(super) records: Vec<Record>,
}

/// Completes a mapping from the built-in one and checks it.
pub(super) fn resolve(written: Written) -> Result<Mapping, MappingError> {
    let base = match &written.builtin {
        Some(name) => {
            let text = BUILTIN.iter().find(|(known, _)| known == name).map(|(_, text)| *text);
            let text = text.ok_or_else(|| MappingError::Builtin(name.clone()))?;
            toml::from_str(text).map_err(|error| MappingError::Syntax(format!("{name}: {error}")))?
        }
        None => Written::default(),
    };
    let name = written.name.or(written.builtin).unwrap_or_else(|| "without a name".to_owned());
    let missing = |what: &str| MappingError::Incomplete(name.clone(), format!("{what} is missing"));
    let wrong = |what: String| MappingError::Incomplete(name.clone(), what);
    let topic = written.topic.or(base.topic).ok_or_else(|| missing("topic"))?;
    let pattern = Pattern::parse(&topic).ok_or_else(|| wrong(format!("`{topic}` is no topic pattern")))?;
    let records = if written.records.is_empty() { base.records } else { written.records };
    let mapping = Mapping {
        topic: pattern,
        group: written.group.or(base.group).ok_or_else(|| missing("group, the utility's code,"))?,
        node: written.node.or(base.node).ok_or_else(|| missing("node"))?,
        device: written.device.or(base.device).ok_or_else(|| missing("device"))?,
        format: written.format.or(base.format).unwrap_or(Format::Json),
        records,
        name: name.clone(),
    };
    if mapping.records.is_empty() {
        return Err(missing("record"));
    }
    for template in [&mapping.group, &mapping.node, &mapping.device] {
        check_template(template, &mapping.topic, mapping.format, false).map_err(wrong)?;
    }
    for record in &mapping.records {
        check_record(record, &mapping).map_err(wrong)?;
    }
    Ok(mapping)
}

fn check_record(record: &Record, mapping: &Mapping) -> Result<(), String> {
    for template in std::iter::once(&record.point).chain(&record.device) {
        check_template(template, &mapping.topic, mapping.format, record.each.is_some())?;
    }
    let mut pointers: Vec<&String> = record.value.iter().chain(&record.historical).chain(&record.negative).collect();
    pointers.extend(record.each.iter().filter(|each| *each != "*"));
    pointers.extend(record.time.iter().flat_map(|time| time.at.iter().chain(&time.iv)));
    match &record.quality {
        Some(Quality::Bits { iv, bl, ov, sb, nt, test }) => pointers.extend([iv, bl, ov, sb, nt, test].into_iter().flatten()),
        Some(Quality::Error { error: at } | Quality::Good { at, .. }) => pointers.push(at),
        None => {}
    }
    match pointers.into_iter().find(|pointer| !is_pointer(pointer)) {
        Some(pointer) => Err(format!("`{pointer}` is no JSON pointer: it is empty or begins with /, `^` before it for the whole payload")),
        None => Ok(()),
    }
}

fn is_pointer(text: &str) -> bool {
    let pointer = text.strip_prefix('^').unwrap_or(text);
    pointer.is_empty() || pointer.starts_with('/')
}

/// Splits a template into texts and, in braces, placeholders.
pub(super) fn parts(template: &str) -> Option<Vec<(&str, Option<&str>)>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}')?;
        parts.push((&rest[..open], Some(&rest[open + 1..close])));
        rest = &rest[close + 1..];
    }
    if rest.contains('}') {
        return None;
    }
    parts.push((rest, None));
    Some(parts)
}

fn check_template(template: &str, topic: &Pattern, format: Format, has_items: bool) -> Result<(), String> {
    let parts = parts(template).ok_or_else(|| format!("`{template}` has a brace without its other"))?;
    for name in parts.into_iter().filter_map(|(_, name)| name) {
        match name {
            "@key" if has_items => {}
            "@key" => return Err(format!("`{template}`: there is a @key only where `each` is")),
            pointer if pointer.split('|').all(|pointer| pointer.starts_with(['/', '^'])) && format == Format::Json => {}
            name if topic.has(name) => {}
            name => return Err(format!("`{template}`: `{name}` is no level of the topic and no JSON pointer")),
        }
    }
    Ok(())
}
