//! The network model of the caller's utility: its versions, changes and exports.

pub(crate) mod activate;
pub(crate) mod answers;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod feeders;
pub(crate) mod parts;
pub(crate) mod summary;
pub(crate) mod versions;
