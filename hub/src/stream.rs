//! Names of streams.

use grid::table::Table;
use grid::{AssetId, ClientId, Level, NodeId, Scope};

use crate::area::Area;

/// A stream that clients can subscribe to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    /// `sld/{location}`
    Diagram(NodeId),
    /// `network/{location}`; for a user who is confined to a node, without nodes at substations outside of it.
    Network(NodeId, Option<NodeId>),
    /// `events/{level|asset}/{id}`
    Events(Scope),
    /// `commands/{location}`
    Commands(NodeId),
    /// `loadcurrent/{level|asset}/{id}`
    LoadCurrent(Scope),
    /// `comms/{client|level}/{id}`
    Comms(Area),
    /// `energy/{location|asset}/{id}`, `pq/…`, `assets/…`
    Table(Table, Scope),
    /// `readings/{asset}`
    Readings(AssetId),
    /// `overview/{client|level}/{id}`
    Overview(Area),
    /// `alarms/{client|level|asset}/{id}`
    Alarms(Area),
    /// `faults/{client|level|asset}/{id}`
    Faults(Area),
    /// `areas/client/{id}`: the version of the areas of responsibility.
    Areas(ClientId),
}

impl Stream {
    /// Returns whether the stream has class `every`: each row is delivered. Otherwise only the newest value counts.
    pub(crate) fn is_every(self) -> bool {
        matches!(self, Self::Events(_) | Self::Commands(_) | Self::Alarms(_) | Self::Faults(_))
    }

    /// Returns the area of a stream, if it has one.
    pub(crate) fn area(self) -> Option<Area> {
        match self {
            Self::Comms(area) | Self::Overview(area) | Self::Alarms(area) | Self::Faults(area) => Some(area),
            _ => None,
        }
    }

    /// Returns the node that the subscribers of the stream are confined to.
    pub(crate) fn confined_to(self) -> Option<NodeId> {
        match self {
            Self::Network(_, own) => own,
            _ => match self.area()? {
                Area::Client(_, own) => own,
                Area::Scope(_) => None,
            },
        }
    }

    /// Returns the node of an event stream about everything below a node.
    pub(crate) fn events_below(self) -> Option<NodeId> {
        match self {
            Self::Events(Scope::Node(node)) => Some(node),
            Self::Alarms(area) | Self::Faults(area) => match area.scope() {
                Some(Scope::Node(node)) => Some(node),
                Some(Scope::Asset(_)) | None => None,
            },
            _ => None,
        }
    }

    /// Returns the same stream for another area.
    pub(crate) fn over(self, area: Area) -> Self {
        match self {
            Self::Comms(_) => Self::Comms(area),
            Self::Overview(_) => Self::Overview(area),
            Self::Alarms(_) => Self::Alarms(area),
            Self::Faults(_) => Self::Faults(area),
            other => other,
        }
    }
}

/// A parsed stream name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) stream: Stream,
    /// The level in the name of the stream. The node must have this level.
    pub(crate) level: Option<Level>,
}

/// Parses a stream name.
pub(crate) fn parse(name: &str) -> Option<Named> {
    let parts: Vec<&str> = name.split('/').collect();
    let id = |text: &str| -> Option<i64> { text.parse().ok().filter(|id| *id > 0) };
    match parts[..] {
        ["sld", location] => Some(Named { stream: Stream::Diagram(NodeId(id(location)?)), level: Some(Level::Substation) }),
        ["network", location] => Some(Named { stream: Stream::Network(NodeId(id(location)?), None), level: Some(Level::Substation) }),
        ["commands", location] => Some(Named { stream: Stream::Commands(NodeId(id(location)?)), level: Some(Level::Substation) }),
        ["readings", asset] => Some(Named { stream: Stream::Readings(AssetId(id(asset)?)), level: None }),
        ["areas", "client", client] => Some(Named { stream: Stream::Areas(ClientId(id(client)?)), level: None }),
        [kind, "client", client] => Some(Named { stream: about(kind, Area::Client(ClientId(id(client)?), None))?, level: None }),
        [kind, "asset", asset] => Some(Named { stream: scoped(kind, Scope::Asset(AssetId(id(asset)?)))?, level: None }),
        [kind, word, node] => {
            let level = Level::ALL.into_iter().find(|level| level.as_str() == word)?;
            let stream = scoped(kind, Scope::Node(NodeId(id(node)?)))?;
            // These tables exist only for one substation or one asset.
            let is_there = !matches!(stream, Stream::Table(..)) || level == Level::Substation;
            is_there.then_some(Named { stream, level: Some(level) })
        }
        _ => None,
    }
}

fn scoped(kind: &str, scope: Scope) -> Option<Stream> {
    match kind {
        "events" => Some(Stream::Events(scope)),
        "loadcurrent" => Some(Stream::LoadCurrent(scope)),
        "energy" => Some(Stream::Table(Table::Energy, scope)),
        "pq" => Some(Stream::Table(Table::PowerQuality, scope)),
        "assets" => Some(Stream::Table(Table::Assets, scope)),
        "comms" | "overview" if matches!(scope, Scope::Asset(_)) => None,
        _ => about(kind, Area::Scope(scope)),
    }
}

/// Returns a stream of an area.
fn about(kind: &str, area: Area) -> Option<Stream> {
    match kind {
        "comms" => Some(Stream::Comms(area)),
        "overview" => Some(Stream::Overview(area)),
        "alarms" => Some(Stream::Alarms(area)),
        "faults" => Some(Stream::Faults(area)),
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
        fn a_name_of_the_right_form_with_any_number_is_read_or_refused(
            kind in "sld|events|loadcurrent|comms|energy|overview|readings|alarms|faults",
            word in "location|asset|client|division|x",
            id in "-?[0-9]{0,25}",
        ) {
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
        assert_eq!(parse("comms/client/1").map(|n| n.stream), Some(Stream::Comms(Area::Client(ClientId(1), None))));
        let below = Stream::Comms(Area::Scope(node(4)));
        assert_eq!(parse("comms/division/4").map(|n| (n.stream, n.level)), Some((below, Some(Level::Division))));
        assert_eq!(parse("alarms/client/3").map(|n| n.stream), Some(Stream::Alarms(Area::Client(ClientId(3), None))));
        assert_eq!(parse("alarms/town/3").map(|n| (n.stream, n.level)), Some((Stream::Alarms(Area::Scope(node(3))), Some(Level::Town))));
        assert_eq!(parse("faults/asset/4").map(|n| n.stream), Some(Stream::Faults(Area::Scope(Scope::Asset(AssetId(4))))));
        assert_eq!(parse("commands/17").map(|n| (n.stream, n.level)), Some((Stream::Commands(NodeId(17)), Some(Level::Substation))));
        assert_eq!(parse("network/17").map(|n| (n.stream, n.level)), Some((Stream::Network(NodeId(17), None), Some(Level::Substation))));
        assert_eq!(parse("energy/location/4").map(|n| n.stream), Some(Stream::Table(Table::Energy, node(4))));
        assert_eq!(parse("assets/asset/4").map(|n| n.stream), Some(Stream::Table(Table::Assets, Scope::Asset(AssetId(4)))));
        assert_eq!(parse("readings/4").map(|n| (n.stream, n.level)), Some((Stream::Readings(AssetId(4)), None)));
        assert_eq!(parse("areas/client/1").map(|n| n.stream), Some(Stream::Areas(ClientId(1))));
        assert_eq!(parse("overview/client/1").map(|n| n.stream), Some(Stream::Overview(Area::Client(ClientId(1), None))));
        let circle = Some((Stream::Overview(Area::Scope(node(2))), Some(Level::Circle)));
        assert_eq!(parse("overview/circle/2").map(|n| (n.stream, n.level)), circle);
        for wrong in [
            "",
            "energy/division/1",
            "pq/client/1",
            "readings/asset/1",
            "overview/asset/1",
            "areas/location/1",
            "areas/1",
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
            "comms/asset/1",
            "comms/division/0",
            "sld/99999999999999999999",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
