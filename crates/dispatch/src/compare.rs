//! Compares the plans of one day with two sets of parameters.

use crate::error::Error;
use crate::parameters::Parameters;
use crate::plan::Plan;
use crate::problem::{Problem, Site, Tariff};

/// Two plans of one day.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The plan with the present parameters.
    pub base: Plan,
    /// The plan with the changed parameters.
    pub changed: Plan,
    /// Additional cost of the changed plan; negative if it saves.
    pub cost_difference: f64,
    /// Additional energy that the changed plan imports from the grid, kWh.
    pub import_difference_kwh: f64,
    /// Additional energy in the battery at the end of the changed plan, kWh. A plan that ends with less energy is
    /// cheaper today only.
    pub stored_difference_kwh: f64,
}

/// Plans a day twice. The sites can differ in their panels; the demand should be the same.
pub fn compare(base: (&Parameters, &Site), changed: (&Parameters, &Site), tariff: &Tariff) -> Result<Comparison, Error> {
    let plan = |(parameters, site): (&Parameters, &Site)| Problem::new(parameters, site, tariff)?.solve();
    let (base, changed) = (plan(base)?, plan(changed)?);
    Ok(Comparison {
        cost_difference: changed.cost - base.cost,
        import_difference_kwh: changed.stats.grid_import - base.stats.grid_import,
        stored_difference_kwh: changed.stored_change_kwh() - base.stored_change_kwh(),
        base,
        changed,
    })
}
