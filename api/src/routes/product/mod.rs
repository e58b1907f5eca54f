//! Stored values of what stands in the field, for sheets.

pub(crate) mod csv_search;
