//! The single-line diagram and its values.

use analysis::latest::picture;

pub(crate) mod acknowledge;
pub(crate) mod data_values;
pub(crate) mod di_values;
pub(crate) mod file;
pub(crate) mod generic_values;
pub(crate) mod validate_credentials;
