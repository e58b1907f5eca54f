//! Stored values of assets, for spreadsheets.

pub(crate) mod csv_search;
