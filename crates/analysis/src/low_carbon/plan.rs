//! Computes the plan of a day from the inputs of a request: demand, solar power, the linear program, and the answer.

use dispatch::{Ending, Objective, Parameters, Plan, Problem, SLOTS, Shares, Slots, Tariff};
use grid::Micros;
use grid::solar::{Coordinates, Fault, Panels, clear_sky};
use identity::View;
use store::Store;
use store::demand_file::DemandFile;
use store::site::SiteRecord;
use wire::lowcarbon::{Optimised, OptimiserRequest, OptimiserShares, OptimiserSlots, OptimiserStats};
use wire::time::iso;

use crate::low_carbon::PlanError;
use crate::low_carbon::day::{Day, Time, mean_of};
use crate::low_carbon::demand::{DemandSource, ExpectedDemand, expected};
use crate::low_carbon::parameters::{changed_parameters, site_parameters};

/// The day and the parameters of a request.
#[derive(Debug, Clone)]
pub struct PlanQuestion {
    day: Day,
    parameters: Parameters,
    /// Whether the request itself has coordinates.
    has_place: bool,
}

impl PlanQuestion {
    /// Reads a request for a plan of a site.
    pub fn read(view: &View, site: &SiteRecord, request: &OptimiserRequest, now: Micros) -> Result<Self, PlanError> {
        let parameters = changed_parameters(&site_parameters(site), &request.parameters)?;
        let day = Day::today(view, now).parse(request.day.as_deref())?;
        // The specification's 0, 0 is "not set".
        let is_set = parameters.lat != 0.0 || parameters.lon != 0.0;
        let is_given = |name: &str| request.parameters.get(name).is_some_and(|value| !value.is_null() && value != "");
        Ok(Self { day, parameters, has_place: is_set && ["lat", "lon"].into_iter().any(is_given) })
    }
}

/// All inputs of a plan.
#[derive(Debug, Clone)]
pub struct PlanInputs {
    day: Day,
    demand: ExpectedDemand,
    solar_from: &'static str,
    currency: String,
    problem: Problem,
    warnings: Vec<String>,
}

impl PlanInputs {
    /// Collects the inputs of a plan. The demand is that of `file`. Without a file, it is the expected demand of the
    /// site, from data that were known at `now`.
    pub async fn collect(
        store: &Store,
        view: &View,
        site: &SiteRecord,
        question: PlanQuestion,
        file: Option<DemandFile>,
        now: Micros,
    ) -> Result<Self, PlanError> {
        let PlanQuestion { day, mut parameters, has_place } = question;
        // The coordinates of the file take precedence over those of the site.
        if !has_place {
            let place = file.as_ref().and_then(|file| file.place).or(site.place).unwrap_or_default();
            (parameters.lat, parameters.lon) = place;
        }
        let demand = match file {
            Some(file) => {
                let kw = Slots::try_from(file.kw.as_slice()).map_err(|_| PlanError::Internal)?;
                ExpectedDemand { kw, from: DemandSource::File, issued: None, warnings: Vec::new() }
            }
            None => expected(store, view, site, &day, now).await?,
        };
        let mut warnings = demand.warnings.clone();
        let hours = day.hours();
        let (pv, solar_from) = sun(site, &parameters, &day, &mut warnings)?;
        let short = hours.iter().filter(|hours| **hours <= 0.0).count();
        let long = hours.iter().filter(|hours| **hours > dispatch::SLOT_HOURS).count();
        if short + long > 0 {
            warnings.push(format!("The clocks change on this day: {short} half hours are left out, and {long} are there twice."));
        }
        let problem = problem(site, &parameters, (&demand.kw, &pv, &hours), &mut warnings)?;
        Ok(Self { day, demand, solar_from, currency: site.currency.clone(), problem, warnings })
    }

    /// Computes the plan. It takes up to some seconds of processor time, so call it outside of the async threads.
    pub fn solve(self) -> Result<(Plan, Optimised), PlanError> {
        let plan = self.problem.solve()?;
        let answer = to_answer(&plan, self);
        Ok((plan, answer))
    }
}

/// Returns the available power of the panels, kW, and its source.
fn sun(site: &SiteRecord, parameters: &Parameters, day: &Day, warnings: &mut Vec<String>) -> Result<(Slots, &'static str), PlanError> {
    const NONE: (Slots, &str) = ([0.0; SLOTS], "none");
    if parameters.objective == Objective::CostWithoutSolar || parameters.solar_kwp <= 0.0 {
        return Ok(NONE);
    }
    if let Some(profile) = &site.solar_profile {
        // The profile is that of the panels of the site. For panels of another size it is scaled.
        let times = if site.solar_kwp > 0.0 { parameters.solar_kwp / site.solar_kwp } else { 1.0 };
        let kw = Slots::try_from(profile.as_slice()).map_err(|_| PlanError::Internal)?;
        return Ok((kw.map(|kw| kw * times), "profile"));
    }
    let panels = Panels::new(parameters.solar_kwp, site.performance).map_err(|fault| PlanError::Invalid(fault.to_string()))?;
    match Coordinates::new(parameters.lat, parameters.lon) {
        Ok(place) => {
            let kw = |time: Time| Some(panels.kw(clear_sky(place.sun(time.middle()).zenith_deg)));
            Ok((day.times().map(|times| mean_of(&times, kw).unwrap_or_default()), "clear-sky"))
        }
        Err(Fault::PlaceNotSet) => {
            warnings
                .push("The site has no coordinates (lat and lon are 0), so the plan has no solar power. Set them on the site.".to_owned());
            Ok(NONE)
        }
        Err(fault) => Err(PlanError::Invalid(fault.to_string())),
    }
}

fn problem(
    site: &SiteRecord,
    parameters: &Parameters,
    (demand, pv, hours): (&Slots, &Slots, &Slots),
    warnings: &mut Vec<String>,
) -> Result<Problem, PlanError> {
    let (least, most) = (parameters.capacity_min_kwh, parameters.capacity_max_kwh);
    let initial_kwh = site.initial_kwh.map(|kwh| kwh.max(least).min(most));
    if let (Some(own), Some(taken)) = (site.initial_kwh, initial_kwh)
        && (own - taken).abs() > 1e-9
    {
        warnings.push(format!("The battery begins the day with {taken} kWh: the {own} kWh of the site do not fit these limits."));
    }
    let of_plan = dispatch::Site {
        charge_efficiency: site.charge_efficiency,
        discharge_efficiency: site.discharge_efficiency,
        initial_kwh,
        ending: if site.ends_as_it_began { Ending::AsBegun } else { Ending::Free },
        import_limit_kw: site.import_limit_kw,
        hours: *hours,
        ..dispatch::Site::new(demand.to_vec(), pv.to_vec())
    };
    let export_price = if site.may_export { site.export_price.clone() } else { None };
    Ok(Problem::new(parameters, &of_plan, &Tariff { import_price: site.import_price.clone(), export_price })?)
}

fn to_answer(plan: &Plan, inputs: PlanInputs) -> Optimised {
    // Half hours that the clock change skips have no values. The stored energy is then that of the next half hour.
    let row = |figures: &[f64]| figures.iter().enumerate().map(|(slot, figure)| exists_at(&plan.hours, slot).then_some(*figure)).collect();
    let stats = &plan.stats;
    Optimised {
        day: inputs.day.date.to_string(),
        time_zone: inputs.day.calendar.name,
        results: OptimiserSlots {
            hour_of_day: plan.hour_of_day.into(),
            slot_hours: plan.hours.into(),
            base_demand_kw: row(&plan.base_demand_kw),
            battery_kw: row(&plan.battery_kw),
            storage_kwh: row(&plan.storage_kwh[..SLOTS]),
            net_demand_kw: row(&plan.net_demand_kw),
            pv_kw: row(&plan.pv_kw),
        },
        stats: OptimiserStats {
            site: Some(stats.site),
            solar: Some(stats.solar),
            grid_import: Some(stats.grid_import),
            grid_export: Some(stats.grid_export),
            battery_charge: Some(stats.battery_charge),
            battery_discharge: Some(stats.battery_discharge),
        },
        shares: plan.shares.map(shares_to_answer),
        cost: plan.cost,
        cost_without_battery: plan.cost_without_battery,
        saving: plan.saving,
        currency: inputs.currency,
        storage_percent: plan.charge_percent.map(|percent| row(&percent)),
        curtailed_kw: row(&plan.curtailed_kw),
        storage_kwh: row(&plan.storage_kwh),
        demand_from: inputs.demand.from.as_str().to_owned(),
        solar_from: inputs.solar_from.to_owned(),
        issued: inputs.demand.issued.map(iso),
        warnings: inputs.warnings,
        historical: None,
    }
}

/// Returns whether a half hour, or the instant at its start, exists on this day. The end of the day exists.
fn exists_at(hours: &Slots, slot: usize) -> bool {
    hours.get(slot).is_none_or(|hours| *hours > 0.0)
}

/// Converts the shares to those of the answer.
pub(super) fn shares_to_answer(Shares { solar, battery, grid }: Shares) -> OptimiserShares {
    OptimiserShares { solar, battery, grid }
}

/// Returns the start of each half hour, hours since midnight.
pub(super) fn hours_of_day() -> Vec<f64> {
    (0..SLOTS).map(|slot| slot as f64 * dispatch::SLOT_HOURS).collect()
}
