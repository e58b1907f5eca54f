//! The mRIDs of parts. Ids of a description are unique among the parts of one kind; mRIDs are unique among all objects of a file.
//!
//! The mRID is the id. If a part of another kind has the same id, or if the export uses the id for an additional object, the kind is appended. An import of
//! such a file removes the kind.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use network::Description;
use network::changes::Part;
use network::findings::PartKind;

/// The modelling authority in the header of exported files. An import removes the kind only in files with this authority.
pub(super) const AUTHORITY: &str = "switchyard";

/// The id of a substation that the export adds for nodes without a voltage level, because CGMES requires one.
pub(super) const OF_NO_SUBSTATION: &str = "network";

/// The beginning of the ids of voltage levels that the export adds for nodes without one.
pub(super) const VOLTAGE_LEVEL: &str = "voltage-level-";

/// The beginning of the ids of base voltages.
pub(super) const BASE_VOLTAGE: &str = "base-voltage-";

/// The id of the type of permanent limits.
pub(super) const PERMANENT: &str = "limit-type-permanent";

/// The endings that are appended to the mRID of a part for the ids of objects that an export adds to it. The first endings are followed by a number.
const ADDED: [&str; 9] = ["-terminal-", "-end-", "-tap", "-limits", "-limit", "-unit", "-control", "-response", "-topological"];

const KINDS: [PartKind; 4] = [PartKind::Container, PartKind::Node, PartKind::Equipment, PartKind::Measurement];

fn suffix(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Container => "-container",
        PartKind::Node => "-node",
        PartKind::Equipment => "-equipment",
        PartKind::Measurement => "-measurement",
    }
}

/// Finds the mRIDs of the parts of a description.
pub(super) struct Mrids<'d> {
    /// The ids that are used by parts of several kinds.
    shared: HashSet<&'d str>,
}

impl<'d> Mrids<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let mut kinds: HashMap<&str, PartKind> = HashMap::new();
        let mut shared = HashSet::new();
        let mut add = |kind: PartKind, id: &'d str| {
            if *kinds.entry(id).or_insert(kind) != kind {
                shared.insert(id);
            }
        };
        description.containers.iter().for_each(|part| add(PartKind::Container, part.id()));
        description.nodes.iter().for_each(|part| add(PartKind::Node, part.id()));
        description.equipment.iter().for_each(|part| add(PartKind::Equipment, part.id()));
        description.measurements.iter().for_each(|part| add(PartKind::Measurement, part.id()));
        Self { shared }
    }

    pub(super) fn of<'i>(&self, kind: PartKind, id: &'i str) -> Cow<'i, str> {
        let needs_kind = match (is_container_of_export(id), kind) {
            // An import makes containers of these, which another export must write in the same way.
            (true, PartKind::Container) => false,
            (true, _) => true,
            (false, _) => self.shared.contains(id) || is_reserved(id),
        };
        if needs_kind { format!("{id}{}", suffix(kind)).into() } else { id.into() }
    }
}

/// Returns whether an id belongs to a container that an export adds.
fn is_container_of_export(id: &str) -> bool {
    id == OF_NO_SUBSTATION || id.strip_prefix(VOLTAGE_LEVEL).is_some_and(|kv| kv.parse::<f64>().is_ok())
}

/// Returns whether an id could belong to another object of the file.
fn is_reserved(id: &str) -> bool {
    let begin = id.trim_end_matches(|letter: char| letter.is_ascii_digit());
    KINDS.into_iter().any(|kind| id.ends_with(suffix(kind)))
        || ADDED.into_iter().any(|added| begin.ends_with(added))
        || id.starts_with(BASE_VOLTAGE)
        || id == PERMANENT
}

/// Returns the id of the part that has this mRID in an exported file.
pub(super) fn part_id(mrid: &str) -> &str {
    KINDS.into_iter().find_map(|kind| mrid.strip_suffix(suffix(kind))).unwrap_or(mrid)
}
