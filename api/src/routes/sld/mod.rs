//! The single-line diagram and its values.

use std::collections::HashMap;

use grid::{NodeId, PointId, Reading};

use crate::error::Error;
use crate::extract::View;
use crate::state::Services;

pub(crate) mod acknowledge;
pub(crate) mod data_values;
pub(crate) mod di_values;
pub(crate) mod file;
pub(crate) mod generic_values;
pub(crate) mod validate_credentials;

/// The newest readings of a substation as they may be shown now.
async fn picture(services: &Services, view: &View, location: NodeId) -> Result<HashMap<PointId, Reading>, Error> {
    Ok(view.field.picture(services.store().latest_of(view.principal.client, Some(location)).await?))
}
