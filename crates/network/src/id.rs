//! Ids of the parts of a model: positions in its arrays. They are valid with that model only.

macro_rules! index {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Returns the position in the arrays of the model.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// A connectivity node.
    NodeId
}
index! {
    /// A piece of equipment.
    EquipmentId
}
index! {
    /// A connection between two nodes: a switch, a line segment, or two windings of a transformer.
    BranchId
}
index! {
    /// What feeds the network or may feed it: a neighbouring network, a generator or a battery.
    SourceId
}
index! {
    /// A connection of a node with earth.
    EarthId
}
