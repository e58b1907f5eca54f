//! The network model of the caller's utility: its versions, changes and exports, and its present state.

pub(crate) mod abnormal;
pub(crate) mod activate;
pub(crate) mod answers;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod consequences;
pub(crate) mod entries;
mod entry_checks;
mod entry_row;
pub(crate) mod export;
pub(crate) mod feeders;
mod loaded;
pub(crate) mod parts;
pub(crate) mod present;
pub(crate) mod summary;
pub(crate) mod temporary;
mod temporary_placing;
mod temporary_rows;
pub(crate) mod trace;
mod trace_drawn;
pub(crate) mod versions;
