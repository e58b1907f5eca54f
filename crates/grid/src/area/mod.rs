//! Areas of responsibility: which desk of the control room operates what.
//!
//! - [`place`]: the area that a piece of equipment belongs to.
//! - [`handover`]: how an area passes from one desk to another.
//! - [`seating`]: how a session sits down at a desk.
//! - [`plan`]: the check of the areas and desks of a utility before they are stored.

pub mod handover;
pub mod place;
pub mod plan;
pub mod seating;

pub use place::{ActiveSince, FoundBy, Part, Parts, Place};

use crate::{AreaId, DeskId};

/// An area with the desk that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldArea {
    /// The area.
    pub id: AreaId,
    /// Its name.
    pub name: String,
    /// Whether everything belongs to it that is in no other area.
    pub is_rest: bool,
    /// The desk that holds it, with its name; `None` if no desk does.
    pub holder: Option<(DeskId, String)>,
}

/// The refusal of an operation at a place that the desk of the user does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideArea {
    /// Another desk holds its area, or no desk.
    Held {
        /// Name of the area.
        area: String,
        /// Name of the desk that holds it; `None` if no desk does.
        by: Option<String>,
    },
    /// Its area is not known, because containers of the network are in areas and the active version is not in memory.
    NetworkNotLoaded,
}

impl std::fmt::Display for OutsideArea {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Held { area, by: Some(desk) } => write!(f, "{area} is held by desk {desk}. Ask for it, or let a supervisor move it."),
            Self::Held { area, by: None } => write!(f, "{area} is held by no desk. Take it first."),
            Self::NetworkNotLoaded => f.write_str(
                "It is not known which area this belongs to: the network is being loaded, or cannot be used. Try again in a few seconds, then ask the administrator.",
            ),
        }
    }
}

impl std::error::Error for OutsideArea {}

/// The areas of a utility, their parts and their holders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Responsibility {
    /// All areas.
    pub areas: Vec<HeldArea>,
    /// The area of each part.
    pub parts: Parts,
    /// Whether areas have containers of the network, and which version is active.
    pub containers: Containers,
}

/// Whether areas have containers of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Containers {
    /// They have none, or only names are needed.
    #[default]
    None,
    /// They have some, of this version; `None` if no version is active.
    Of(Option<ActiveSince>),
}

impl Responsibility {
    /// Returns the area of a place. `None` only if the utility has no area for the rest, so that nothing is divided.
    pub fn area_of(&self, place: &Place) -> Option<&HeldArea> {
        let named = self.parts.area_of(place).and_then(|id| self.areas.iter().find(|area| area.id == id));
        named.or_else(|| self.areas.iter().find(|area| area.is_rest))
    }

    /// Checks that a desk holds the areas of all these places.
    pub fn permit(&self, desk: Option<DeskId>, places: &[Place]) -> Result<(), OutsideArea> {
        if let Containers::Of(active) = self.containers
            && !places.iter().all(|place| place.is_known_in(active))
        {
            return Err(OutsideArea::NetworkNotLoaded);
        }
        for area in places.iter().filter_map(|place| self.area_of(place)) {
            let holder = area.holder.as_ref();
            if holder.is_none() || holder.map(|(holder, _)| *holder) != desk {
                return Err(OutsideArea::Held { area: area.name.clone(), by: holder.map(|(_, name)| name.clone()) });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    const EAST: DeskId = DeskId(1);
    const WEST: DeskId = DeskId(2);

    fn held(id: i64, name: &str, holder: Option<(DeskId, &str)>) -> HeldArea {
        HeldArea { id: AreaId(id), name: name.into(), is_rest: id == 1, holder: holder.map(|(desk, name)| (desk, name.into())) }
    }

    /// Division 2 is Harbour, feeder `F7` is Quayside, and Island has no holder.
    fn example() -> Responsibility {
        Responsibility {
            areas: vec![
                held(1, "Rest", Some((WEST, "West"))),
                held(2, "Harbour", Some((EAST, "East"))),
                held(3, "Quayside", Some((WEST, "West"))),
                held(4, "Island", None),
            ],
            parts: [(Part::Node(NodeId(2)), AreaId(2)), (Part::Container("F7".into()), AreaId(3)), (Part::Node(NodeId(9)), AreaId(4))]
                .into_iter()
                .collect(),
            containers: Containers::None,
        }
    }

    fn at(containers: &[&str], path: &[i64]) -> Place {
        let path: Vec<NodeId> = path.iter().map(|id| NodeId(*id)).collect();
        Place::new(containers.iter().map(|id| (*id).to_owned()), &path)
    }

    #[test]
    fn only_the_desk_that_holds_the_area_is_permitted() {
        let example = example();
        let cases = [
            ("in the division of East", at(&[], &[1, 2, 6]), EAST, None),
            (
                "the same for West",
                at(&[], &[1, 2, 6]),
                WEST,
                Some("Harbour is held by desk East. Ask for it, or let a supervisor move it."),
            ),
            ("a feeder of West in the division of East", at(&["B1", "F7"], &[1, 2, 6]), WEST, None),
            (
                "the same for East",
                at(&["F7"], &[1, 2, 6]),
                EAST,
                Some("Quayside is held by desk West. Ask for it, or let a supervisor move it."),
            ),
            ("in no area, so in the rest", at(&[], &[1, 5]), WEST, None),
            ("the rest for East", at(&[], &[1, 5]), EAST, Some("Rest is held by desk West. Ask for it, or let a supervisor move it.")),
            ("an area without a holder", at(&[], &[1, 9]), EAST, Some("Island is held by no desk. Take it first.")),
        ];
        for (case, place, desk, expected) in cases {
            let refused = example.permit(Some(desk), &[place]).err().map(|refusal| refusal.to_string());
            assert_eq!(refused.as_deref(), expected, "{case}");
        }
        let both = [at(&[], &[1, 2, 6]), at(&["F7"], &[1, 2, 6])];
        let quayside = OutsideArea::Held { area: "Quayside".into(), by: Some("West".into()) };
        assert_eq!(example.permit(Some(EAST), &both), Err(quayside), "all places count");
        assert!(example.permit(None, &both).is_err(), "a session without a desk holds nothing");
        assert!(Responsibility::default().permit(None, &both).is_ok(), "nothing is divided");
    }

    #[test]
    fn place_of_another_version_of_the_network_is_not_known() {
        let version = |version| Some(ActiveSince { version, since: crate::Micros(7) });
        let in_harbour = at(&[], &[1, 2, 6]);
        let cases = [
            ("nothing depends on the network", Containers::None, FoundBy::Network(None), true),
            ("the same version", Containers::Of(version(2)), FoundBy::Network(version(2)), true),
            ("the last one", Containers::Of(version(2)), FoundBy::Network(version(1)), false),
            ("none is in memory", Containers::Of(version(2)), FoundBy::Network(None), false),
            ("none is active any more", Containers::Of(None), FoundBy::Network(version(1)), false),
            ("none is active", Containers::Of(None), FoundBy::Network(None), true),
            ("a substation", Containers::Of(version(2)), FoundBy::Hierarchy, true),
        ];
        for (case, containers, found_by, is_known) in cases {
            let example = Responsibility { containers, ..example() };
            let expected = if is_known { Ok(()) } else { Err(OutsideArea::NetworkNotLoaded) };
            assert_eq!(example.permit(Some(EAST), &[in_harbour.clone().found_by(found_by)]), expected, "{case}");
        }
    }
}
