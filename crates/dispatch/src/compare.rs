//! What if: the same day with two sets of parameters.

use crate::error::Error;
use crate::parameters::Parameters;
use crate::plan::Plan;
use crate::problem::{Problem, Site, Tariff};

/// Two plans side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// As it is.
    pub base: Plan,
    /// As it might be.
    pub changed: Plan,
    /// What the change costs; below 0 it saves.
    pub cost_difference: f64,
    /// What it draws more from the grid, kWh.
    pub import_difference_kwh: f64,
    /// What it holds more in the battery at the end, kWh: a plan that ends emptier is cheaper today and not tomorrow.
    pub stored_difference_kwh: f64,
}

/// Plans a day twice. The sites differ where the panels do; the demand should be the same.
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
