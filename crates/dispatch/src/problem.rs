//! The validated inputs of a plan: parameters, site and tariff.

use crate::error::Error;
use crate::fault::Faults;
use crate::parameters::{Objective, POWER_MAX_KW, Parameters};
use crate::{SLOTS, Slots, USUAL_HOURS};

/// Largest price, money per kWh; larger values are probably errors.
const PRICE_MAX: f64 = 1_000_000.0;
/// Largest duration of a half hour, h.
const HOURS_MAX: f64 = 24.0;
/// Largest cost of wear, money per kWh.
const WEAR_MAX: f64 = 1_000.0;

/// The required energy of the battery at the end of the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// No requirement.
    Free,
    /// At least the initial energy.
    AsBegun,
    /// At least this energy, kWh.
    AtLeast(f64),
}

/// Facts about battery and site that the specification does not define. Each has a default ([`Site::new`]) and can be configured.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// `Base_Demand_Kw`: demand of the site, 48 half hours, kW.
    pub demand_kw: Vec<f64>,
    /// `PV_Generation_Kw`: available solar power, 48 half hours, kW.
    pub pv_kw: Vec<f64>,
    /// Duration of each half hour, h: 0 if the clocks skip it, 1 if they repeat it.
    pub hours: Slots,
    /// Efficiency of charging, per unit.
    pub charge_efficiency: f64,
    /// Efficiency of discharging, per unit.
    pub discharge_efficiency: f64,
    /// Initial energy of the battery, kWh; default: `BatteryCapacityMinKwh`.
    pub initial_kwh: Option<f64>,
    /// Required energy at the end of the day.
    pub ending: Ending,
    /// Import limit, kW; `None` without limit.
    pub import_limit_kw: Option<f64>,
    /// Cost of wear per kWh, once for charging and once for discharging. It must be above 0, so that energy is moved only for a gain.
    pub wear_per_kwh: f64,
}

impl Site {
    /// Creates a site with common values: 95 % efficiency in each direction, an empty battery, no requirement at the end, no import limit,
    /// very low cost of wear.
    pub fn new(demand_kw: Vec<f64>, pv_kw: Vec<f64>) -> Self {
        Self {
            demand_kw,
            pv_kw,
            hours: USUAL_HOURS,
            charge_efficiency: 0.95,
            discharge_efficiency: 0.95,
            initial_kwh: None,
            ending: Ending::Free,
            import_limit_kw: None,
            wear_per_kwh: 1e-4,
        }
    }
}

/// Prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Tariff {
    /// Price of a kWh from the grid, 48 half hours.
    pub import_price: Vec<f64>,
    /// Revenue of a kWh to the grid, 48 half hours; `None` if export is not permitted. It must not exceed the import price, otherwise
    /// unlimited import and export would be profitable.
    pub export_price: Option<Vec<f64>>,
}

/// Validated parameters, site and tariff.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub(crate) parameters: Parameters,
    pub(crate) demand_kw: Slots,
    /// 0 if the objective excludes the panels.
    pub(crate) pv_kw: Slots,
    /// Duration of each half hour, h; demand and solar power are 0 where it is 0.
    pub(crate) hours: Slots,
    pub(crate) charge_efficiency: f64,
    pub(crate) discharge_efficiency: f64,
    pub(crate) initial_kwh: f64,
    pub(crate) ending: Ending,
    pub(crate) import_limit_kw: Option<f64>,
    pub(crate) wear_per_kwh: f64,
    pub(crate) import_price: Slots,
    pub(crate) export_price: Option<Slots>,
}

impl Problem {
    /// Validates the inputs and returns all faults.
    pub fn new(parameters: &Parameters, site: &Site, tariff: &Tariff) -> Result<Self, Error> {
        let mut faults = Faults::default();
        parameters.check(&mut faults);
        let demand_kw = slots("Base_Demand_Kw", &site.demand_kw, POWER_MAX_KW, &mut faults);
        let pv_kw = slots("PV_Generation_Kw", &site.pv_kw, POWER_MAX_KW, &mut faults);
        let import_price = slots("import price", &tariff.import_price, PRICE_MAX, &mut faults);
        let export_price = tariff.export_price.as_ref().map(|prices| slots("export price", prices, PRICE_MAX, &mut faults));
        let initial_kwh = site.initial_kwh.unwrap_or(parameters.capacity_min_kwh);
        for (slot, hours) in site.hours.iter().enumerate() {
            faults.within(&format!("hours[{slot}]"), *hours, 0.0, HOURS_MAX);
        }
        check_site(parameters, site, initial_kwh, &mut faults);
        if let Some(export) = &export_price {
            for (slot, (export, import)) in export.iter().zip(&import_price).enumerate().filter(|(_, (export, import))| export > import) {
                faults.add(format!("export price[{slot}]"), format!("is {export}, above the import price, which is {import}"));
            }
        }
        if !faults.0.is_empty() {
            faults.0.truncate(FAULTS_MAX);
            return Err(Error::Invalid(faults.0));
        }
        Ok(Self {
            parameters: *parameters,
            demand_kw: there(&demand_kw, &site.hours),
            pv_kw: if parameters.objective == Objective::CostWithoutSolar { [0.0; SLOTS] } else { there(&pv_kw, &site.hours) },
            hours: site.hours,
            charge_efficiency: site.charge_efficiency,
            discharge_efficiency: site.discharge_efficiency,
            initial_kwh,
            ending: site.ending,
            import_limit_kw: site.import_limit_kw,
            wear_per_kwh: site.wear_per_kwh,
            import_price,
            export_price,
        })
    }
}

/// Largest number of reported faults.
const FAULTS_MAX: usize = 100;

fn check_site(parameters: &Parameters, site: &Site, initial_kwh: f64, faults: &mut Faults) {
    let capacity =
        format!("BatteryCapacityMinKwh {} to BatteryCapacityMaxKwh {}", parameters.capacity_min_kwh, parameters.capacity_max_kwh);
    let holds = |kwh: f64| (parameters.capacity_min_kwh..=parameters.capacity_max_kwh).contains(&kwh);
    for (field, efficiency) in [("charge efficiency", site.charge_efficiency), ("discharge efficiency", site.discharge_efficiency)] {
        if !(efficiency > 0.0 && efficiency <= 1.0) {
            faults.add(field, format!("is {efficiency}; above 0, up to 1"));
        }
    }
    if site.initial_kwh.is_some() && !holds(initial_kwh) {
        faults.add("initial energy", format!("is {initial_kwh} kWh; {capacity}"));
    }
    if let Ending::AtLeast(kwh) = site.ending
        && !holds(kwh)
    {
        faults.add("end energy", format!("is {kwh} kWh; {capacity}"));
    }
    if let Some(limit) = site.import_limit_kw {
        faults.within("import limit", limit, 0.0, POWER_MAX_KW);
    }
    if !(site.wear_per_kwh > 0.0 && site.wear_per_kwh <= WEAR_MAX) {
        faults.add("wear", format!("is {} per kWh; above 0, up to {WEAR_MAX}", site.wear_per_kwh));
    }
}

/// Sets the power of skipped half hours to 0.
fn there(kw: &Slots, hours: &Slots) -> Slots {
    std::array::from_fn(|slot| if hours[slot] > 0.0 { kw[slot] } else { 0.0 })
}

/// Checks that there are 48 values from 0 to `most`.
fn slots(field: &str, values: &[f64], most: f64, faults: &mut Faults) -> Slots {
    let Ok(slots) = Slots::try_from(values) else {
        faults.add(field, format!("has {} values; {SLOTS}, one for each half hour", values.len()));
        return [0.0; SLOTS];
    };
    for (slot, value) in slots.iter().enumerate() {
        faults.within(&format!("{field}[{slot}]"), *value, 0.0, most);
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;
    use crate::parameters::Window;

    fn site() -> Site {
        Site::new(vec![30.0; SLOTS], vec![0.0; SLOTS])
    }

    fn tariff() -> Tariff {
        Tariff { import_price: vec![5.0; SLOTS], export_price: Some(vec![3.0; SLOTS]) }
    }

    fn faults_of(parameters: Parameters, site: &Site, tariff: &Tariff) -> Vec<String> {
        match Problem::new(&parameters, site, tariff) {
            Err(Error::Invalid(faults)) => faults.iter().map(Fault::to_string).collect(),
            other => panic!("{other:?} is no list of faults"),
        }
    }

    #[test]
    fn what_the_site_lacks_is_named() {
        let change = |change: fn(&mut Site)| {
            let mut site = site();
            change(&mut site);
            faults_of(Parameters::default(), &site, &tariff())
        };
        assert_eq!(change(|site| site.demand_kw.truncate(47)), ["Base_Demand_Kw: has 47 values; 48, one for each half hour"]);
        assert_eq!(change(|site| site.demand_kw[37] = f64::NAN), ["Base_Demand_Kw[37]: is NaN; from 0 to 1000000"]);
        assert_eq!(change(|site| site.pv_kw[3] = -0.5), ["PV_Generation_Kw[3]: is -0.5; from 0 to 1000000"]);
        assert_eq!(change(|site| site.charge_efficiency = 0.0), ["charge efficiency: is 0; above 0, up to 1"]);
        assert_eq!(change(|site| site.discharge_efficiency = 1.01), ["discharge efficiency: is 1.01; above 0, up to 1"]);
        assert_eq!(
            change(|site| site.initial_kwh = Some(100.1)),
            ["initial energy: is 100.1 kWh; BatteryCapacityMinKwh 0 to BatteryCapacityMaxKwh 100"]
        );
        assert_eq!(
            change(|site| site.ending = Ending::AtLeast(-1.0)),
            ["end energy: is -1 kWh; BatteryCapacityMinKwh 0 to BatteryCapacityMaxKwh 100"]
        );
        assert_eq!(change(|site| site.import_limit_kw = Some(f64::NAN)), ["import limit: is NaN; from 0 to 1000000"]);
        assert_eq!(change(|site| site.wear_per_kwh = 0.0), ["wear: is 0 per kWh; above 0, up to 1000"]);
        assert_eq!(change(|site| site.demand_kw = vec![f64::INFINITY; SLOTS]).len(), SLOTS);
    }

    #[test]
    fn prices_that_pay_for_going_round_are_refused() {
        let mut wrong = tariff();
        wrong.export_price.as_mut().unwrap()[5] = 5.5;
        assert_eq!(faults_of(Parameters::default(), &site(), &wrong), ["export price[5]: is 5.5, above the import price, which is 5"]);
        wrong.import_price[0] = -1.0;
        assert_eq!(faults_of(Parameters::default(), &site(), &wrong).len(), 3, "below 0, and now below that of export");
        assert!(Problem::new(&Parameters::default(), &site(), &Tariff { export_price: None, ..tariff() }).is_ok());
    }

    #[test]
    fn parameters_are_checked_with_the_rest() {
        let wrong = Parameters {
            capacity_min_kwh: 200.0,
            charge_rate_kw: -1.0,
            discharge_rate_kw: f64::NAN,
            charging: Window { start: 3, end: 3 },
            ..Parameters::default()
        };
        let faults = faults_of(wrong, &Site { demand_kw: Vec::new(), ..site() }, &tariff());
        assert_eq!(faults.len(), 5, "{faults:?}");
    }
}
