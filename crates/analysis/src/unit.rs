//! The unit of power for an area or an asset.

use grid::Scope;
use identity::Area;

/// Returns the unit of power and its size in kW: kW for an asset, MW for an area.
pub fn power(area: Area) -> (&'static str, f64) {
    if matches!(area.0, Some(Scope::Asset(_))) { ("kW", 1.0) } else { ("MW", 1_000.0) }
}
