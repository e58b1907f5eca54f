//! Seeds the demo's low-carbon site with its tariff: the parameters of the specification, and prices by time of day.

use std::collections::HashMap;

use grid::{NodeId, PointId, solar};
use simulators::utility::Plan;
use store::site::{SitePoints, SiteRecord};

/// The `deviceId` of the specification.
const DEVICE_ID: i64 = 12_193;
/// Maximum import by contract, kW.
const IMPORT_LIMIT_KW: f64 = 90.0;
/// Price of an exported kWh, INR.
const EXPORT_PRICE: f64 = 3.2;

/// Returns the price of an imported kWh in a half hour of the day, INR: high in the evening, low at night.
fn import_price(half_hour: usize) -> f64 {
    match half_hour / 2 {
        18..22 => 9.6,
        6..18 => 7.2,
        _ => 5.4,
    }
}

/// Returns the site of a substation, if it has one; `points` are the substation's points by metric.
pub(super) fn of(plan: &Plan, location: NodeId, points: &HashMap<String, PointId>) -> Option<SiteRecord> {
    let site = plan.site?;
    let point = |metric: &str| points.get(metric).copied();
    Some(SiteRecord {
        device_id: DEVICE_ID,
        location,
        name: site.name.to_owned(),
        place: Some((site.lat, site.lon)),
        capacity_max_kwh: site.capacity_kwh,
        capacity_min_kwh: 0.0,
        charge_rate_kw: 50.0,
        discharge_rate_kw: 25.0,
        charging: (0, 24),
        discharging: (26, 46),
        solar_kwp: site.kwp,
        objective: "cost_with_solar".to_owned(),
        currency: "INR".to_owned(),
        import_price: (0..solar::SLOTS).map(import_price).collect(),
        export_price: Some(vec![EXPORT_PRICE; solar::SLOTS]),
        may_export: true,
        charge_efficiency: site.efficiency,
        discharge_efficiency: site.efficiency,
        initial_kwh: None,
        import_limit_kw: Some(IMPORT_LIMIT_KW),
        ends_as_it_began: false,
        performance: solar::PERFORMANCE,
        solar_profile: None,
        points: SitePoints {
            site: point("SITE1/P"),
            solar: point("SITE1PV/P"),
            battery: point("SITE1BAT/P"),
            grid: point("SITE1GRID/P"),
            storage: point("SITE1BAT/EBat"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_has_one_site_whose_parameters_are_those_of_the_specification() {
        let clients = simulators::utility::demo(33).clients;
        let substations: Vec<_> =
            clients.iter().flat_map(|client| &client.substations).filter(|substation| substation.plan.site.is_some()).collect();
        assert_eq!(substations.iter().map(|substation| substation.code.as_str()).collect::<Vec<_>>(), ["QUAYSIDE"]);
        let points = substations[0].points.iter().enumerate().map(|(id, point)| (point.metric(), PointId(id as i64))).collect();
        let site = of(&substations[0].plan, NodeId(1), &points).expect("a site");
        assert_eq!(site.points.all().count(), 5);
        assert_eq!((site.device_id, site.capacity_max_kwh, site.solar_kwp), (12_193, 100.0, 100.0));
        let export = site.export_price.expect("it may export");
        assert!(site.import_price.iter().zip(export).all(|(import, export)| export <= *import));
    }
}
