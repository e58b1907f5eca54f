//! Checks the areas and desks of a utility before they are stored.

use std::collections::HashMap;

use super::Part;
use crate::{AreaId, DeskId};

/// Maximum of desks of a utility.
pub const DESKS_MAX: usize = 50;
/// Maximum of areas of a utility, besides the rest.
pub const AREAS_MAX: usize = 200;
/// Maximum of parts of an area.
pub const PARTS_MAX: usize = 500;
/// Maximum of characters of a name.
pub const NAME_MAX: usize = 60;

/// A desk to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedDesk {
    /// The desk; `None` for a new one.
    pub id: Option<DeskId>,
    /// Its name.
    pub name: String,
}

/// An area to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedArea {
    /// The area; `None` for a new one.
    pub id: Option<AreaId>,
    /// Its name.
    pub name: String,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// All desks and areas of a utility. The area for the rest is not among them, because it always exists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The desks.
    pub desks: Vec<PlannedDesk>,
    /// The areas.
    pub areas: Vec<PlannedArea>,
}

impl Plan {
    /// Checks names, limits, and that each part is in one area. The error says what is wrong and what is allowed. `rest` is the name of the area for the rest.
    pub fn check(&self, rest: &str) -> Result<(), String> {
        if !(1..=DESKS_MAX).contains(&self.desks.len()) {
            return Err(format!("desks must have 1 to {DESKS_MAX} entries"));
        }
        if self.areas.len() > AREAS_MAX {
            return Err(format!("areas may have at most {AREAS_MAX} entries"));
        }
        names("desks", self.desks.iter().map(|desk| desk.name.as_str()))?;
        names("areas", self.areas.iter().map(|area| area.name.as_str()).chain([rest]))?;
        once("desks", self.desks.iter().filter_map(|desk| desk.id.map(|id| id.0)))?;
        once("areas", self.areas.iter().filter_map(|area| area.id.map(|id| id.0)))?;
        let mut holders: HashMap<&Part, &str> = HashMap::new();
        for area in &self.areas {
            if !(1..=PARTS_MAX).contains(&area.parts.len()) {
                return Err(format!("area {} must have 1 to {PARTS_MAX} parts", area.name));
            }
            for part in &area.parts {
                if let Some(other) = holders.insert(part, &area.name) {
                    let part = match part {
                        Part::Node(id) => format!("node {id}"),
                        Part::Container(id) => format!("container {id}"),
                    };
                    return Err(format!("{part} is a part of {other} and of {}: a part belongs to one area", area.name));
                }
            }
        }
        Ok(())
    }
}

fn names<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if name.trim() != name || !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(format!("each name in {what} must have 1 to {NAME_MAX} characters without control characters"));
        }
        let folded = name.to_lowercase();
        if seen.contains(&folded) {
            return Err(format!("two {what} have the name {name}: choose another one"));
        }
        seen.push(folded);
    }
    Ok(())
}

fn once(what: &str, ids: impl Iterator<Item = i64>) -> Result<(), String> {
    let mut seen = Vec::new();
    for id in ids {
        if seen.contains(&id) {
            return Err(format!("{what} has the id {id} twice"));
        }
        seen.push(id);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    fn plan(desks: &[&str], areas: &[(&str, &[i64])]) -> Plan {
        let parts = |ids: &[i64]| ids.iter().map(|id| Part::Node(NodeId(*id))).collect();
        Plan {
            desks: desks.iter().map(|name| PlannedDesk { id: None, name: (*name).into() }).collect(),
            areas: areas.iter().map(|(name, ids)| PlannedArea { id: None, name: (*name).into(), parts: parts(ids) }).collect(),
        }
    }

    #[test]
    fn equal_parts_and_unusable_names_are_refused() {
        let long = "x".repeat(NAME_MAX + 1);
        let cases = [
            (plan(&["East", "West"], &[("Harbour", &[1, 2]), ("Quayside", &[3])]), None),
            (plan(&["East"], &[]), None),
            (plan(&[], &[]), Some("desks must have 1 to 50 entries")),
            (plan(&["East", "east"], &[]), Some("two desks have the name east: choose another one")),
            (plan(&["East"], &[("rest", &[1])]), Some("two areas have the name Rest: choose another one")),
            (plan(&[&long], &[]), Some("each name in desks must have 1 to 60 characters without control characters")),
            (plan(&[" "], &[]), Some("each name in desks must have 1 to 60 characters without control characters")),
            (plan(&["East"], &[("Harbour", &[])]), Some("area Harbour must have 1 to 500 parts")),
            (
                plan(&["East"], &[("Harbour", &[1]), ("Quayside", &[2, 1])]),
                Some("node 1 is a part of Harbour and of Quayside: a part belongs to one area"),
            ),
        ];
        for (plan, expected) in cases {
            assert_eq!(plan.check("Rest").err().as_deref(), expected, "{plan:?}");
        }
        let mut twice = plan(&["East", "West"], &[]);
        twice.desks.iter_mut().for_each(|desk| desk.id = Some(DeskId(4)));
        assert_eq!(twice.check("Rest"), Err("desks has the id 4 twice".into()));
    }
}
