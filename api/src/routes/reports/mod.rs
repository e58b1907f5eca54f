//! Reports: the catalogue, operations that answer with rows or a file, and saved and scheduled requests.

pub(crate) mod calls;
pub(crate) mod catalogue;
pub(crate) mod links;
pub(crate) mod monthly;
pub(crate) mod own;
pub(crate) mod runs;
pub(crate) mod schedules;
pub(crate) mod selections;
