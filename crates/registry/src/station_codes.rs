//! Under which codes the hierarchy can have the substations of a network.
//!
//! The id of a substation is its code, except in networks whose ids are no codes, such as those from CIM: there its name is.

use std::collections::BTreeMap;

use network::Description;
use network::description::ContainerKind;

/// The codes of substations.
#[derive(Debug, Clone, Default)]
pub(crate) struct StationCodes {
    /// The id and the names that only this substation has, by each of them.
    id_by_code: BTreeMap<Box<str>, Box<str>>,
    /// The name of a substation that is a code, by its id.
    name_by_id: BTreeMap<Box<str>, Box<str>>,
}

impl StationCodes {
    pub(crate) fn new(description: &Description) -> Self {
        let substations = || description.containers.iter().filter(|container| container.kind == ContainerKind::Substation);
        let mut id_by_code: BTreeMap<Box<str>, Box<str>> = BTreeMap::new();
        id_by_code.extend(substations().map(|station| (station.id.as_str().into(), station.id.as_str().into())));
        let mut ids_by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for station in substations().filter(|station| !station.name.is_empty() && !id_by_code.contains_key(station.name.as_str())) {
            ids_by_name.entry(&station.name).or_default().push(&station.id);
        }
        let unique = ids_by_name.into_iter().filter_map(|(name, ids)| (ids.len() == 1).then(|| (Box::from(name), Box::from(ids[0]))));
        let unique: Vec<(Box<str>, Box<str>)> = unique.collect();
        let name_by_id = unique.iter().map(|(name, id)| (id.clone(), name.clone())).collect();
        id_by_code.extend(unique);
        Self { id_by_code, name_by_id }
    }

    /// Returns the id of the substation with a code.
    pub(crate) fn id_of(&self, code: &str) -> Option<&str> {
        self.id_by_code.get(code).map(|id| &**id)
    }

    /// Returns the codes that a substation can have, the likelier first.
    pub(crate) fn of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::once(id).chain(self.name_by_id.get(id).map(|name| &**name))
    }
}

#[cfg(test)]
mod tests {
    use network::description::Container;

    use super::*;

    #[test]
    fn substation_is_found_by_its_id_or_by_a_name_of_its_own() {
        let station = |id: &str, name: &str| Container {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: ContainerKind::Substation,
            parent: None,
            nominal_kv: None,
            place: None,
        };
        let containers = vec![station("_1", "D1"), station("D2", "Two"), station("_3", "D2"), station("_4", "Same"), station("_5", "Same")];
        let codes = StationCodes::new(&Description { containers, ..Description::default() });
        let found = ["D1", "_1", "D2", "Two", "Same", "_4", "D9"].map(|code| codes.id_of(code));
        assert_eq!(found, [Some("_1"), Some("_1"), Some("D2"), Some("D2"), None, Some("_4"), None]);
        assert_eq!(codes.of("_1").collect::<Vec<_>>(), ["_1", "D1"]);
        assert_eq!(codes.of("_3").collect::<Vec<_>>(), ["_3"]);
    }
}
