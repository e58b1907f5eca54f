//! Identities. Each is a number in the database and on the wire; a type of its own keeps a point from being taken for an asset.

macro_rules! identity {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

identity!(
    /// A utility. Every tenant row carries one.
    ClientId
);
identity!(
    /// A node of the hierarchy between client and asset: circle, division, town, subdivision, section or substation. A location is a substation node.
    NodeId
);
identity!(
    /// A breaker, transformer, feeder, battery, relay and so on, within one substation.
    AssetId
);
identity!(
    /// One measured or signalled quantity of one asset. It is the series id of its history.
    PointId
);
identity!(
    /// An RTU or protocol gateway: one Sparkplug edge node.
    GatewayId
);
identity!(
    /// A person who signs in.
    MemberId
);
