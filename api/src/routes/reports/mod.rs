//! Reports: what there is, and the calls that answer with rows or a file.

pub(crate) mod calls;
pub(crate) mod catalogue;
pub(crate) mod own;
