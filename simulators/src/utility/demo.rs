//! The three utilities of the demo: Sagar, which the demo displays, and two small ones, so that there are several
//! tenants.

use grid::Level;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::{Cap, Client, Feeder, Node, Pace, Plan, Site, Substation, Unit, World, bays, drawing, supply};
use crate::physics::load::Class::{Agriculture, Commercial, Industry, Residential};

/// Creates the demo world. The same seed gives the same world; it varies peaks, lengths and customers a little.
pub fn demo(seed: u64) -> World {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut clients = vec![sagar(&mut rng), apdcl(&mut rng), ksb(&mut rng)];
    clients.iter_mut().for_each(supply::set_supplied);
    World { clients }
}

/// The low-carbon site of the demo, at the feeder of the fish market.
const FISH_HALL: Site = Site {
    name: "Fish Hall",
    feeder: 1,
    class: Commercial,
    peak_kw: 62.0,
    lat: 17.6892,
    lon: 83.2391,
    kwp: 100.0,
    capacity_kwh: 100.0,
    battery_kw: 22.0,
    efficiency: 0.95,
};

fn unit(mva: f64) -> Unit {
    Unit { mva, in_service: true }
}

fn standby(mva: f64) -> Unit {
    Unit { mva, in_service: false }
}

/// The last words in the labels of feeders that supply one large customer. Such a feeder ends at the premises of its customer.
const ONE_CUSTOMER: [&str; 11] =
    ["Plant", "Steelworks", "Works", "Mill", "Factory", "Hospital", "University", "House", "Store", "Boatyard", "Reservoir"];

/// Returns how many customers a feeder supplies, of which an area has `in_area`.
fn customers(label: &str, in_area: f64) -> i32 {
    let is_one = label.split(' ').next_back().is_some_and(|word| ONE_CUSTOMER.contains(&word));
    if is_one { 1 } else { in_area as i32 }
}

fn feeders(rng: &mut StdRng, list: &[(&'static str, crate::physics::load::Class, f64)]) -> Vec<Feeder> {
    list.iter()
        .map(|(label, class, peak_mw)| Feeder {
            label,
            class: *class,
            peak_mw: peak_mw * rng.random_range(0.92..1.08),
            customers: if *peak_mw == 0.0 { 0 } else { customers(label, peak_mw * rng.random_range(600.0..1_100.0)) },
            km: (rng.random_range(1.2..6.5_f64) * 10.0).round() / 10.0,
            in_service: *peak_mw > 0.0,
            detail: None,
        })
        .collect()
}

/// Name of a node, with the nodes below it.
type Branch<'a, Below> = (&'a str, &'a [Below]);
/// A tree from circles down to the names of sections.
type Tree<'a> = [Branch<'a, Branch<'a, Branch<'a, Branch<'a, &'a str>>>>];

fn nodes(tree: &Tree<'_>) -> Vec<Node> {
    let mut nodes = Vec::new();
    let code = |name: &str| name.to_uppercase().replace(' ', "-");
    let mut add = |level, name: &str, suffix: &str, parent: Option<&str>| {
        nodes.push(Node { level, code: code(name), name: format!("{name}{suffix}"), parent: parent.map(code) });
    };
    for (circle, divisions) in tree {
        add(Level::Circle, circle, " circle", None);
        for (division, towns) in *divisions {
            add(Level::Division, division, " division", Some(circle));
            for (town, subdivisions) in *towns {
                add(Level::Town, town, "", Some(division));
                for (subdivision, sections) in *subdivisions {
                    add(Level::Subdivision, subdivision, " subdivision", Some(town));
                    for section in *sections {
                        add(Level::Section, section, " section", Some(subdivision));
                    }
                }
            }
        }
    }
    nodes
}

fn substation(code: &str, name: &str, section: &str, lat: f64, lon: f64, plan: Plan) -> Substation {
    planned((code, name, section), [lat, lon], plan, Pace::Usual)
}

/// Returns the substation of a plan: its code, name and section, and where it is.
pub(super) fn planned((code, name, section): (&str, &str, &str), [lat, lon]: [f64; 2], plan: Plan, pace: Pace) -> Substation {
    let kv = format!("{}/{} kV", plan.kv_high, plan.kv_low);
    let name = format!("{kv} {name}");
    Substation {
        code: code.into(),
        section: section.to_uppercase().replace(' ', "-"),
        lat,
        lon,
        assets: bays::assets(&plan, &name),
        points: bays::points(&plan, pace),
        drawing: drawing::draw(&plan, &name),
        kv,
        name,
        plan,
    }
}

/// Returns the usual configuration of a utility, with some values of its own.
pub(super) fn config(rest: &Value) -> Value {
    let mut config = json!({
        "appBrand": "Switchyard", "showTitle": true, "showRTUHealthTab": true, "showAssetTab": true, "showOutageTab": true, "showNetworkTab": true,
        "showGDSData": false, "showPQData": true, "showSubstationHealthTab": true, "lineToLineLabels": false, "symbols": "ieee"
    });
    if let (Some(config), Value::Object(rest)) = (config.as_object_mut(), rest) {
        config.extend(rest.clone());
    }
    config
}

#[allow(clippy::too_many_lines, reason = "one table of the network, clearer in one piece")]
fn sagar(rng: &mut StdRng) -> Client {
    let nodes = nodes(&[
        (
            "Samudra",
            &[
                ("Harbour", &[("Port Town", &[("Docks", &["Quayside", "Lighthouse"]), ("Market", &["Bazaar"])])]),
                ("Hillside", &[("Upper Town", &[("Terraces", &["Orchard", "Cedar"])])]),
            ],
        ),
        ("Maidan", &[("Plains", &[("Riverbend", &[("Fields", &["Canal", "Mill"])])])]),
    ]);
    let plan = |kv_high, kv_low, incomers: &[&'static str], units: &[Unit], sections, cap: Option<f64>, feeders| Plan {
        kv_high,
        kv_low,
        incomers: incomers.to_vec(),
        units: units.to_vec(),
        sections,
        cap: cap.map(|mvar| Cap { mvar }),
        feeders,
        site: None,
    };
    let grid_feeders = feeders(
        rng,
        &[
            ("Quayside", Industry, 11.0),
            ("Lighthouse", Residential, 8.0),
            ("Bazaar", Commercial, 9.0),
            ("Orchard", Residential, 7.0),
            ("Canal", Agriculture, 8.0),
            ("Steelworks", Industry, 14.0),
        ],
    );
    let quayside = feeders(
        rng,
        &[
            ("Steel Plant", Industry, 2.6),
            ("Fish Market", Commercial, 1.7),
            ("Old Harbour", Residential, 1.9),
            ("Ropewalk", Residential, 1.5),
            ("Customs House", Commercial, 1.1),
            ("Boatyard", Industry, 1.3),
            ("Hospital", Commercial, 0.7),
            ("Spare", Residential, 0.0),
        ],
    );
    let lighthouse = feeders(
        rng,
        &[
            ("Beach Road", Residential, 1.6),
            ("Lighthouse", Residential, 1.2),
            ("Sea View", Residential, 1.4),
            ("Hotels", Commercial, 1.8),
            ("Naval Colony", Residential, 1.0),
        ],
    );
    let bazaar = feeders(
        rng,
        &[
            ("Clock Tower", Commercial, 1.9),
            ("Textile Lane", Commercial, 1.6),
            ("Temple Street", Residential, 1.3),
            ("Bus Stand", Commercial, 0.9),
            ("Ice Factory", Industry, 1.2),
            ("Old Fort", Residential, 1.1),
        ],
    );
    let orchard = feeders(
        rng,
        &[
            ("Hill Colony", Residential, 1.3),
            ("University", Commercial, 1.5),
            ("Tea Estate", Agriculture, 0.9),
            ("Reservoir", Industry, 1.1),
        ],
    );
    let canal = feeders(
        rng,
        &[
            ("Pump House", Agriculture, 1.6),
            ("Rice Mill", Industry, 1.4),
            ("Canal Bank", Agriculture, 1.5),
            ("Sluice", Agriculture, 1.2),
            ("Village East", Residential, 0.8),
            ("Village West", Residential, 0.7),
            ("Cold Store", Industry, 0.9),
        ],
    );
    let mill = feeders(rng, &[("Spinning Mill", Industry, 2.2), ("Dye Works", Industry, 1.1), ("Mill Quarters", Residential, 0.9)]);
    let cedar =
        feeders(rng, &[("Cedar Block A", Residential, 0.11), ("Cedar Block B", Residential, 0.09), ("Street Lights", Commercial, 0.04)]);
    Client {
        code: "SAGAR".into(),
        name: "Sagar Power Distribution".into(),
        time_zone: "Asia/Kolkata".into(),
        pace: Pace::Usual,
        config: config(&json!({})),
        nodes,
        substations: vec![
            substation(
                "SAMUDRA",
                "Samudra",
                "Quayside",
                17.701,
                83.217,
                plan(132.0, 33.0, &["Grid-I", "Grid-II"], &[unit(50.0), unit(50.0)], 2, None, grid_feeders),
            ),
            substation(
                "QUAYSIDE",
                "Quayside",
                "Quayside",
                17.688,
                83.236,
                Plan {
                    site: Some(FISH_HALL),
                    ..plan(33.0, 11.0, &["Samudra-I", "Samudra-II"], &[unit(8.0), unit(8.0)], 2, None, quayside)
                },
            ),
            substation(
                "LIGHTHOUSE",
                "Lighthouse",
                "Lighthouse",
                17.722,
                83.301,
                plan(33.0, 11.0, &["Samudra"], &[unit(8.0)], 1, Some(1.2), lighthouse),
            ),
            substation(
                "BAZAAR",
                "Bazaar",
                "Bazaar",
                17.715,
                83.262,
                plan(33.0, 11.0, &["Samudra", "Lighthouse"], &[unit(10.0), standby(8.0)], 2, Some(1.5), bazaar),
            ),
            substation("ORCHARD", "Orchard", "Orchard", 17.761, 83.198, plan(33.0, 11.0, &["Samudra"], &[unit(6.3)], 1, None, orchard)),
            substation(
                "CANAL",
                "Canal",
                "Canal",
                17.642,
                83.114,
                plan(33.0, 11.0, &["Samudra", "Mill"], &[unit(5.0), unit(5.0)], 2, Some(0.9), canal),
            ),
            substation("MILL", "Mill", "Mill", 17.611, 83.152, plan(33.0, 11.0, &["Canal"], &[unit(5.0)], 1, None, mill)),
            substation("CEDAR", "Cedar Park", "Cedar", 17.768, 83.215, plan(11.0, 0.44, &["Orchard F1"], &[unit(0.315)], 1, None, cedar)),
        ],
    }
}

fn apdcl(rng: &mut StdRng) -> Client {
    let list = feeders(rng, &[("North", Residential, 1.2), ("South", Commercial, 1.0), ("East", Industry, 1.5)]);
    let plan = Plan {
        kv_high: 33.0,
        kv_low: 11.0,
        incomers: vec!["Grid"],
        units: vec![unit(5.0)],
        sections: 1,
        cap: None,
        feeders: list,
        site: None,
    };
    Client {
        code: "APDCL".into(),
        name: "Aruna Power Distribution".into(),
        time_zone: "Asia/Kolkata".into(),
        pace: Pace::Usual,
        config: config(&json!({ "lineToLineLabels": true, "showGDSData": true })),
        nodes: nodes(&[("Aruna", &[("Dawn", &[("Sunrise", &[("Meadow", &["Brook"])])])])]),
        substations: vec![substation("BROOK", "Brook", "Brook", 16.51, 80.63, plan)],
    }
}

fn ksb(rng: &mut StdRng) -> Client {
    let first = feeders(
        rng,
        &[("Backwater", Residential, 1.1), ("Jetty", Commercial, 0.9), ("Coir Works", Industry, 1.3), ("Spice Market", Commercial, 0.8)],
    );
    let second = feeders(rng, &[("Palm Street", Residential, 0.1), ("Chapel", Residential, 0.08)]);
    let plan = |kv_high, kv_low, incomer, mva, list| Plan {
        kv_high,
        kv_low,
        incomers: vec![incomer],
        units: vec![unit(mva)],
        sections: 1,
        cap: None,
        feeders: list,
        site: None,
    };
    Client {
        code: "KSB".into(),
        name: "Kayal State Board".into(),
        time_zone: "Asia/Kolkata".into(),
        pace: Pace::Usual,
        config: config(&json!({ "symbols": "variant", "showPQData": false, "showOutageTab": false })),
        nodes: nodes(&[("Kayal", &[("Lagoon", &[("Ferry", &[("Palms", &["Jetty", "Chapel"])])])])]),
        substations: vec![
            substation("JETTY", "Jetty", "Jetty", 9.93, 76.26, plan(33.0, 11.0, "Grid", 8.0, first)),
            substation("CHAPEL", "Chapel", "Chapel", 9.94, 76.27, plan(11.0, 0.44, "Jetty F1", 0.25, second)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_world() {
        assert_eq!(demo(33), demo(33));
        assert_ne!(demo(33), demo(34));
    }

    #[test]
    fn the_demo_is_as_large_as_promised() {
        let world = demo(33);
        let main = &world.clients[0];
        assert_eq!(world.clients.len(), 3);
        assert!(main.substations.len() >= 6);
        let count: usize = main.substations.iter().map(|substation| substation.plan.feeders.len()).sum();
        assert!((38..=46).contains(&count), "{count} feeders");
    }

    #[test]
    fn codes_are_unique_and_drawings_refer_to_what_exists() {
        for client in demo(33).clients {
            let sections: HashSet<_> =
                client.nodes.iter().filter(|node| node.level == Level::Section).map(|node| node.code.clone()).collect();
            for substation in client.substations {
                assert!(sections.contains(&substation.section), "{}", substation.section);
                let assets: HashSet<_> = substation.assets.iter().map(|asset| asset.code.as_str()).collect();
                assert_eq!(assets.len(), substation.assets.len(), "{}", substation.name);
                let points: HashSet<_> = substation.points.iter().map(|point| format!("{}/{}", point.device, point.metric())).collect();
                assert_eq!(points.len(), substation.points.len(), "{}", substation.name);
                for point in &substation.points {
                    assert!(assets.contains(point.asset.as_str()), "{}", point.asset);
                }
                let text = serde_json::to_value(&substation.drawing.elements).unwrap();
                for element in text.as_array().unwrap() {
                    if let Some(asset) = element["asset"].as_str() {
                        assert!(assets.contains(asset), "{asset}");
                    }
                    let rows = element["rows"].as_array().cloned().unwrap_or_default();
                    for reference in rows.iter().chain([&element["position"], &element["tap"]]).filter_map(|row| row["point"].as_str()) {
                        assert!(points.contains(reference), "{reference}");
                    }
                }
            }
        }
    }
}
