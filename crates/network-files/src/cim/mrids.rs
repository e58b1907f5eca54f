//! The mRIDs of parts. Ids of a description are unique among the parts of one kind; mRIDs are unique among all objects of a file.
//!
//! The mRID is the id, unless another kind has the same id or the export uses it for an object of its own: then the kind is appended. An import of such a
//! file removes it again.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use network::Description;
use network::changes::Part;
use network::findings::PartKind;

/// The authority that the header of an exported file names. Only in these files an import removes the kind.
pub(super) const AUTHORITY: &str = "switchyard";

/// The substation of nodes without a voltage level, which CGMES requires.
pub(super) const OF_NO_SUBSTATION: &str = "network";

/// The beginning of the ids of voltage levels of nodes without one.
pub(super) const VOLTAGE_LEVEL: &str = "voltage-level-";

/// The beginning of the ids of base voltages.
pub(super) const BASE_VOLTAGE: &str = "base-voltage-";

/// The id of the type of permanent limits.
pub(super) const PERMANENT: &str = "limit-type-permanent";

/// What follows the mRID of a part in the ids of the objects that an export adds to it. The first ones are followed by a number.
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
    /// The ids that parts of several kinds have.
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

/// Returns whether an id is that of a container that an export adds.
fn is_container_of_export(id: &str) -> bool {
    id == OF_NO_SUBSTATION || id.strip_prefix(VOLTAGE_LEVEL).is_some_and(|kv| kv.parse::<f64>().is_ok())
}

/// Returns whether an id could be that of another object of the file.
fn is_reserved(id: &str) -> bool {
    let begin = id.trim_end_matches(|letter: char| letter.is_ascii_digit());
    KINDS.into_iter().any(|kind| id.ends_with(suffix(kind)))
        || ADDED.into_iter().any(|added| begin.ends_with(added))
        || id.starts_with(BASE_VOLTAGE)
        || id == PERMANENT
}

/// Returns the id of the part that has an mRID in a file of an export.
pub(super) fn part_id(mrid: &str) -> &str {
    KINDS.into_iter().find_map(|kind| mrid.strip_suffix(suffix(kind))).unwrap_or(mrid)
}
