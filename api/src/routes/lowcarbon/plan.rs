//! Computes the plan of a day: demand, sun, the linear program, and the answer.

use dispatch::{Ending, Objective, Parameters, Plan, Problem, SLOTS, Shares, Slots, Tariff};
use grid::Micros;
use grid::solar::{Fault, Panels, Place, clear_sky};
use store::demand_file::Owner;
use store::site::SiteRecord;
use wire::lowcarbon::{Optimised, OptimiserRequest, OptimiserShares, OptimiserSlots, OptimiserStats};
use wire::time::iso;

use crate::error::Error;
use crate::routes::lowcarbon::day::{Day, Time, mean_of};
use crate::routes::lowcarbon::demand::{Expected, expected};
use crate::routes::lowcarbon::{Sited, fields, own};
use crate::state::Services;

/// Limit of characters of a handle.
const HANDLE_MAX: usize = 100;
const GONE: &str = "That file is not there any more. Please choose it again.";

/// The input of a plan.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    day: Day,
    demand: Expected,
    solar_from: &'static str,
    currency: String,
    problem: Problem,
    warnings: Vec<String>,
}

/// Validates the request and reads its input. `now` is the same for two plans that are compared.
pub(super) async fn asked(services: &Services, sited: &Sited, request: &OptimiserRequest, now: Micros) -> Result<Asked, Error> {
    let Sited { view, site } = sited;
    let mut parameters = fields(&own(site), &request.parameters)?;
    let day = Day::today(view, now).asked(request.day.as_deref())?;
    let file = match request.demand_file.as_deref().map(str::trim).filter(|handle| !handle.is_empty()) {
        Some(handle) if handle.len() <= HANDLE_MAX => {
            let owner = Owner { client: view.principal.client, member: view.principal.member, device_id: site.device_id };
            let found = services.store().demand_file(owner, &auth::hash_token(handle), now).await?;
            Some(found.ok_or(Error::Gone(GONE))?)
        }
        Some(_) => return Err(Error::Gone(GONE)),
        None => None,
    };
    // In the specification, 0, 0 means "not set". The position in the file takes precedence over that of the site.
    let is_set = |(lat, lon): (f64, f64)| lat != 0.0 || lon != 0.0;
    let says_place = ["lat", "lon"].iter().any(|name| request.parameters.get(*name).is_some_and(|value| !value.is_null() && value != ""));
    if !says_place || !is_set((parameters.lat, parameters.lon)) {
        let place = file.as_ref().and_then(|file| file.place).or(site.place).unwrap_or_default();
        (parameters.lat, parameters.lon) = place;
    }
    let demand = match file {
        Some(file) => {
            let kw = Slots::try_from(file.kw.as_slice()).map_err(|_| Error::Internal)?;
            Expected { kw, from: "file", issued: None, warnings: Vec::new() }
        }
        None => expected(services, view, site, &day).await?,
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
    Ok(Asked { day, demand, solar_from, currency: site.currency.clone(), problem, warnings })
}

/// Returns the power that the panels could generate, and its source.
fn sun(site: &SiteRecord, parameters: &Parameters, day: &Day, warnings: &mut Vec<String>) -> Result<(Slots, &'static str), Error> {
    const NONE: (Slots, &str) = ([0.0; SLOTS], "none");
    if parameters.objective == Objective::CostWithoutSolar || parameters.solar_kwp <= 0.0 {
        return Ok(NONE);
    }
    if let Some(profile) = &site.solar_profile {
        // The profile applies to the panels of the site; it is scaled to panels of another size.
        let times = if site.solar_kwp > 0.0 { parameters.solar_kwp / site.solar_kwp } else { 1.0 };
        let kw = Slots::try_from(profile.as_slice()).map_err(|_| Error::Internal)?;
        return Ok((kw.map(|kw| kw * times), "profile"));
    }
    let panels = Panels::new(parameters.solar_kwp, site.performance).map_err(|fault| Error::BadRequest(fault.to_string()))?;
    match Place::new(parameters.lat, parameters.lon) {
        Ok(place) => {
            let kw = |time: Time| Some(panels.kw(clear_sky(place.sun(time.middle()).zenith_deg)));
            Ok((day.times().map(|times| mean_of(&times, kw).unwrap_or_default()), "clear-sky"))
        }
        Err(Fault::PlaceNotSet) => {
            warnings.push("Nobody has said where the site is (lat and lon are 0): the plan reckons with no sun.".to_owned());
            Ok(NONE)
        }
        Err(fault) => Err(Error::BadRequest(fault.to_string())),
    }
}

fn problem(
    site: &SiteRecord,
    parameters: &Parameters,
    (demand, pv, hours): (&Slots, &Slots, &Slots),
    warnings: &mut Vec<String>,
) -> Result<Problem, Error> {
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
    Problem::new(parameters, &of_plan, &Tariff { import_price: site.import_price.clone(), export_price }).map_err(|error| refused(&error))
}

fn refused(error: &dispatch::Error) -> Error {
    match error {
        dispatch::Error::Invalid(_) => Error::BadRequest(error.to_string()),
        dispatch::Error::Impossible(_) | dispatch::Error::Solver(_) => Error::Impossible(error.to_string()),
    }
}

/// Computes a plan on a thread of its own. The number of plans at once is limited, and a plan continues if its caller stops waiting.
pub(super) async fn planned(services: &Services, asked: Asked) -> Result<(Plan, Optimised), Error> {
    let turn = services.0.planning.clone().acquire_owned().await.map_err(|_| Error::Internal)?;
    let solve = move || {
        let _turn = turn;
        let plan = asked.problem.solve();
        (plan, asked)
    };
    let (plan, asked) = tokio::task::spawn_blocking(solve).await.map_err(|_| Error::Internal)?;
    let plan = plan.map_err(|error| refused(&error))?;
    let told = told(&plan, asked);
    Ok((plan, told))
}

fn told(plan: &Plan, asked: Asked) -> Optimised {
    // Half hours that the clock change skips are left out. The charge of the battery at such a time is that at the end of the gap.
    let row = |figures: &[f64]| figures.iter().enumerate().map(|(slot, figure)| told_at(&plan.hours, slot).then_some(*figure)).collect();
    let stats = &plan.stats;
    Optimised {
        day: asked.day.date.to_string(),
        time_zone: asked.day.zone_name,
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
        shares: plan.shares.map(told_shares),
        cost: plan.cost,
        cost_without_battery: plan.cost_without_battery,
        saving: plan.saving,
        currency: asked.currency,
        storage_percent: plan.charge_percent.map(|percent| row(&percent)),
        curtailed_kw: row(&plan.curtailed_kw),
        storage_kwh: row(&plan.storage_kwh),
        demand_from: asked.demand.from.to_owned(),
        solar_from: asked.solar_from.to_owned(),
        issued: asked.demand.issued.map(iso),
        warnings: asked.warnings,
        historical: None,
    }
}

/// Returns whether a half hour, or the time at which it begins, exists on this day. The end of the day does.
fn told_at(hours: &Slots, slot: usize) -> bool {
    hours.get(slot).is_none_or(|hours| *hours > 0.0)
}

/// Converts shares to those of the answer.
pub(super) fn told_shares(Shares { solar, battery, grid }: Shares) -> OptimiserShares {
    OptimiserShares { solar, battery, grid }
}

/// Returns the start of each half hour.
pub(super) fn hours_of_day() -> Vec<f64> {
    (0..SLOTS).map(|slot| slot as f64 * dispatch::SLOT_HOURS).collect()
}
