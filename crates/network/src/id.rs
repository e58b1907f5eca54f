//! Ids of the parts of a model, which are positions in its arrays. An id is valid only for its model.

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
    /// Equipment that feeds or may feed the network: a neighbouring network, a generator or a battery.
    SourceId
}
index! {
    /// A connection between a node and earth.
    EarthId
}
