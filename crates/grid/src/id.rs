//! Ids. Each is a number in the database and on the wire. Separate types prevent mistaking a point for an asset.

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
    /// A utility. Every row of a tenant has one.
    ClientId
);
identity!(
    /// A node of the hierarchy between client and asset: circle, division, town, subdivision, section or substation. A location is a substation node.
    NodeId
);
identity!(
    /// A piece of equipment in one substation, such as a breaker, transformer, feeder, battery or relay.
    AssetId
);
identity!(
    /// One value of one asset, such as a current or a position. It is the series id of its history.
    PointId
);
identity!(
    /// An RTU or protocol gateway: one Sparkplug edge node.
    GatewayId
);
identity!(
    /// A user of a utility.
    MemberId
);
identity!(
    /// An area of responsibility.
    AreaId
);
identity!(
    /// A desk of the control room.
    DeskId
);
