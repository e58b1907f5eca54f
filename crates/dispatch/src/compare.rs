//! Compares two plans of one day.

use crate::plan::Plan;

/// The differences of a changed plan from its base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Additional cost of the changed plan; negative if it saves.
    pub cost_difference: f64,
    /// Additional energy that the changed plan imports from the grid, kWh.
    pub import_difference_kwh: f64,
    /// Additional energy in the battery at the end of the changed plan, kWh. A plan that ends with less energy is
    /// cheaper only for this day.
    pub stored_difference_kwh: f64,
}

/// Compares two plans of one day.
pub fn compare(base: &Plan, changed: &Plan) -> Comparison {
    Comparison {
        cost_difference: changed.cost - base.cost,
        import_difference_kwh: changed.stats.grid_import - base.stats.grid_import,
        stored_difference_kwh: changed.stored_change_kwh() - base.stored_change_kwh(),
    }
}
