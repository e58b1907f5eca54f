//! Names of streams: what a client may ask for.

use grid::{AssetId, ClientId, Level, NodeId, Scope};

/// A stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    /// `sld/{location}`
    Diagram(NodeId),
    /// `events/{level|asset}/{id}`
    Events(Scope),
    /// `commands/{location}`
    Commands(NodeId),
    /// `loadcurrent/{level|asset}/{id}`
    LoadCurrent(Scope),
    /// `alarms/{level|asset|client}/{id}`
    Alarms(Area),
    /// `faults/{level|asset|client}/{id}`
    Faults(Area),
    /// `comms/client/{id}`; for those who are confined to a node, what of the utility lies below it.
    Comms(ClientId, Option<NodeId>),
}

/// What alarms and faults are asked for of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    /// A whole utility; for those who are confined to a node, what of it lies below that.
    Client(ClientId, Option<NodeId>),
    /// A node or an asset.
    Scope(Scope),
}

impl Area {
    /// The same as a question to the database has it; `None` is the whole utility.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::Client(_, below) => below.map(Scope::Node),
            Self::Scope(scope) => Some(scope),
        }
    }
}

impl Stream {
    /// Whether every row arrives; else only the newest of each counts.
    pub(crate) fn is_every(self) -> bool {
        matches!(self, Self::Events(_) | Self::Commands(_) | Self::Alarms(_) | Self::Faults(_))
    }

    /// The same stream over another area.
    pub(crate) fn over(self, area: Area) -> Self {
        match self {
            Self::Alarms(_) => Self::Alarms(area),
            Self::Faults(_) => Self::Faults(area),
            other => other,
        }
    }
}

/// The node or asset that a stream name speaks of, with the level that the name gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) stream: Stream,
    /// The level that the node must have for the name to be right.
    pub(crate) level: Option<Level>,
}

/// Reads a stream name.
pub(crate) fn parse(name: &str) -> Option<Named> {
    let parts: Vec<&str> = name.split('/').collect();
    let id = |text: &str| -> Option<i64> { text.parse().ok().filter(|id| *id > 0) };
    match parts[..] {
        ["sld", location] => Some(Named { stream: Stream::Diagram(NodeId(id(location)?)), level: Some(Level::Substation) }),
        ["commands", location] => Some(Named { stream: Stream::Commands(NodeId(id(location)?)), level: Some(Level::Substation) }),
        ["comms", "client", client] => Some(Named { stream: Stream::Comms(ClientId(id(client)?), None), level: None }),
        [kind @ ("alarms" | "faults"), "client", client] => {
            let area = Area::Client(ClientId(id(client)?), None);
            Some(Named { stream: if kind == "alarms" { Stream::Alarms(area) } else { Stream::Faults(area) }, level: None })
        }
        [kind, "asset", asset] => Some(Named { stream: scoped(kind, Scope::Asset(AssetId(id(asset)?)))?, level: None }),
        [kind, word, node] => {
            let level = Level::ALL.into_iter().find(|level| level.word() == word)?;
            Some(Named { stream: scoped(kind, Scope::Node(NodeId(id(node)?)))?, level: Some(level) })
        }
        _ => None,
    }
}

fn scoped(kind: &str, scope: Scope) -> Option<Stream> {
    match kind {
        "events" => Some(Stream::Events(scope)),
        "loadcurrent" => Some(Stream::LoadCurrent(scope)),
        "alarms" => Some(Stream::Alarms(Area::Scope(scope))),
        "faults" => Some(Stream::Faults(Area::Scope(scope))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_name_panics(name in ".*") {
            let _ = parse(&name);
        }

        #[test]
        fn a_name_of_the_right_form_with_any_number_is_read_or_refused(kind in "sld|events|loadcurrent|comms|alarms|faults", word in "location|asset|client|division|x", id in "-?[0-9]{0,25}") {
            let _ = (parse(&format!("{kind}/{word}/{id}")), parse(&format!("{kind}/{id}")));
        }
    }

    #[test]
    fn names_that_exist_and_names_that_do_not() {
        let node = |id| Scope::Node(NodeId(id));
        assert_eq!(parse("sld/17").map(|n| n.stream), Some(Stream::Diagram(NodeId(17))));
        assert_eq!(parse("events/division/4").map(|n| (n.stream, n.level)), Some((Stream::Events(node(4)), Some(Level::Division))));
        assert_eq!(parse("events/asset/4").map(|n| n.stream), Some(Stream::Events(Scope::Asset(AssetId(4)))));
        assert_eq!(parse("loadcurrent/location/4").map(|n| n.stream), Some(Stream::LoadCurrent(node(4))));
        assert_eq!(parse("comms/client/1").map(|n| n.stream), Some(Stream::Comms(ClientId(1), None)));
        assert_eq!(parse("alarms/client/3").map(|n| n.stream), Some(Stream::Alarms(Area::Client(ClientId(3), None))));
        assert_eq!(parse("alarms/town/3").map(|n| (n.stream, n.level)), Some((Stream::Alarms(Area::Scope(node(3))), Some(Level::Town))));
        assert_eq!(parse("faults/asset/4").map(|n| n.stream), Some(Stream::Faults(Area::Scope(Scope::Asset(AssetId(4))))));
        assert_eq!(parse("commands/17").map(|n| (n.stream, n.level)), Some((Stream::Commands(NodeId(17)), Some(Level::Substation))));
        for wrong in [
            "",
            "commands",
            "commands/location/1",
            "sld",
            "sld/x",
            "sld/-1",
            "sld/1/2",
            "events/4",
            "events/planet/4",
            "failures/location/1",
            "alarms/client/x",
            "alarms/1",
            "comms/division/1",
            "sld/99999999999999999999",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
