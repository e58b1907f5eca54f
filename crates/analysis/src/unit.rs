//! The unit of power for an area or an asset.

use grid::Scope;
use identity::Area;

/// Power in kW of an asset, in MW of what is above.
pub fn power(area: Area) -> (&'static str, f64) {
    if matches!(area.0, Some(Scope::Asset(_))) { ("kW", 1.0) } else { ("MW", 1_000.0) }
}
