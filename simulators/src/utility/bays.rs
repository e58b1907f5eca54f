//! Converts the plan of a substation (numbers of incomers, transformers, feeders) to its assets and points.

use grid::measure::Quantity;
use grid::point::{PointKind, kind_of_code};
use grid::position::Encoding;
use grid::thermal::Cooling;

use super::area::FeederDetail;
use super::{Asset, Pace, PointSpec};

/// Reporting interval of currents and powers, ms.
const FAST_MS: i64 = 10_000;
/// Reporting interval of temperatures, registers, supplies and details of the phases, ms.
const SLOW_MS: i64 = 30_000;
/// Reporting interval of power quality and minor registers, ms.
const QUALITY_MS: i64 = 60_000;

/// Sites are low-voltage customers.
const SITE_KV: f64 = 0.44;

/// Codes of a line meter, by reporting interval.
const LINE: [(i64, &[&str]); 4] = [
    (FAST_MS, &["Ir", "Iy", "Ib", "Vr", "Vy", "Vb", "P", "Q", "S", "Pf", "Hz"]),
    (SLOW_MS, &["EImp", "Vry", "Vyb", "Vbr", "Pr", "Py", "Pb", "Qr", "Qy", "Qb", "Sr", "Sy", "Sb"]),
    (SLOW_MS, &["AVr", "AVy", "AVb", "AIr", "AIy", "AIb"]),
    (
        QUALITY_MS,
        &[
            "EExp", "RImp", "RExp", "EImpR", "EImpY", "EImpB", "ThdVr", "ThdVy", "ThdVb", "ThdIr", "ThdIy", "ThdIb", "Vuf", "Pst", "Plt",
            "Dips", "Swells",
        ],
    ),
];

/// A transformer of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Rated power, MVA.
    pub mva: f64,
    /// Whether its low-voltage breaker is normally closed. It is open for a standby unit.
    pub in_service: bool,
}

/// A capacitor bank of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// Rated power, MVAr.
    pub mvar: f64,
}

/// A low-carbon site of a plan: a customer with solar panels and a battery at one feeder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    /// Its name.
    pub name: &'static str,
    /// Index of its feeder, from 0.
    pub feeder: usize,
    /// Class of its load.
    pub class: crate::physics::load::Class,
    /// Highest load, kW.
    pub peak_kw: f64,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// Peak power of the panels, kWp.
    pub kwp: f64,
    /// Capacity of the battery, kWh.
    pub capacity_kwh: f64,
    /// Largest charging and discharging power, kW.
    pub battery_kw: f64,
    /// Efficiency of charging, and of discharging, per unit.
    pub efficiency: f64,
}

/// An outgoing feeder of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feeder {
    /// Name of the supplied area, as users see it.
    pub label: &'static str,
    /// Class of its load.
    pub class: crate::physics::load::Class,
    /// Highest load, MW.
    pub peak_mw: f64,
    /// Number of its own customers, without those of other substations.
    pub customers: i32,
    /// Length, km.
    pub km: f64,
    /// Whether its breaker is normally closed. It is open for a spare feeder.
    pub in_service: bool,
    /// Its transformers with their low-voltage networks; `None` for a trunk with customers at each ring-main unit.
    pub detail: Option<FeederDetail>,
}

impl Feeder {
    /// Whether it supplies another substation and has no customers of its own.
    pub fn is_supply_line(&self) -> bool {
        self.in_service && self.customers == 0
    }
}

/// The plan of a substation.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Higher voltage, kV.
    pub kv_high: f64,
    /// Lower voltage, kV.
    pub kv_low: f64,
    /// Origins of the incoming lines. The first line is in service, the others are on standby.
    pub incomers: Vec<&'static str>,
    /// Transformers. With two bus sections the first supplies section A and the second section B.
    pub units: Vec<Unit>,
    /// Number of bus sections on the low-voltage side, 1 or 2.
    pub sections: usize,
    /// Capacitor bank on section A.
    pub cap: Option<Cap>,
    /// Outgoing feeders, distributed over the sections from left to right.
    pub feeders: Vec<Feeder>,
    /// A low-carbon site at one of the feeders.
    pub site: Option<Site>,
}

impl Plan {
    /// Returns the bus section of feeder `index`.
    pub fn section_of(&self, index: usize) -> usize {
        index * self.sections / self.feeders.len().max(1)
    }

    /// Returns the bus section that transformer `index` supplies.
    pub fn section_of_unit(&self, index: usize) -> usize {
        index.min(self.sections - 1)
    }

    /// Whether the bus coupler is normally closed: only if one transformer must supply both sections.
    pub fn coupler_closed(&self) -> bool {
        self.units.iter().filter(|unit| unit.in_service).count() < 2
    }

    /// Returns the cooling of transformer `index`: large ones have fans.
    pub fn cooling(&self, index: usize) -> Cooling {
        if self.is_distribution() {
            Cooling::Distribution
        } else if self.units[index].mva > 10.0 {
            Cooling::Onaf
        } else {
            Cooling::Onan
        }
    }

    /// Whether the transformers are distribution transformers.
    pub fn is_distribution(&self) -> bool {
        self.kv_low < 1.0
    }
}

/// Returns `A` or `B`.
pub(super) fn section_letter(section: usize) -> char {
    if section == 0 { 'A' } else { 'B' }
}

/// Returns the assets of a plan. Codes: INC1 (line), INC1CB, TX1, TX1HCB, TX1LCB, BUSA, BC, F1, F1CB, F1IS, F1ES, F1R, F1CA, CAP1, CAP1CB,
/// BAT, STN, and for a site SITE1, SITE1PV, SITE1BAT, SITE1GRID.
pub(super) fn assets(plan: &Plan, name: &str) -> Vec<Asset> {
    let mut assets = Vec::new();
    let mut add = |code: String,
                   name: String,
                   type_id: i32,
                   class_name: &'static str,
                   device: &str,
                   kv: Option<f64>,
                   customers: i32,
                   operable: bool| {
        assets.push(Asset { code, name, type_id, class_name, device: device.to_owned(), kv, customers, operable });
    };
    let (high, low) = (Some(plan.kv_high), Some(plan.kv_low));
    add("STN".into(), format!("{name} RTU"), 11, "substation", "STN", None, 0, false);
    add("BAT".into(), "Station battery".into(), 8, "battery", "STN", None, 0, false);
    add("BUSH".into(), format!("{} Bus-I", kv(plan.kv_high)), 12, "busbar", "BUS", high, 0, false);
    for section in 0..plan.sections {
        let letter = section_letter(section);
        add(format!("BUS{letter}"), format!("{} Bus-{letter}", kv(plan.kv_low)), 12, "busbar", "BUS", low, 0, false);
    }
    if plan.sections > 1 {
        add("BC".into(), "Bus coupler".into(), 3, "breaker", "BUS", low, 0, true);
    }
    for (index, from) in plan.incomers.iter().enumerate() {
        let code = format!("INC{}", index + 1);
        add(code.clone(), format!("{} {from}", kv(plan.kv_high)), 4, "feeder", &code, high, 0, false);
        add(format!("{code}CB"), format!("{from} CB"), 3, "breaker", &code, high, 0, true);
        add(format!("{code}IS"), format!("{from} isolator"), 6, "isolator", &code, high, 0, false);
        add(format!("{code}ES"), format!("{from} earth switch"), 6, "earthSwitch", &code, high, 0, false);
    }
    for (index, unit) in plan.units.iter().enumerate() {
        let code = format!("TX{}", index + 1);
        let (type_id, word) = if plan.is_distribution() { (5, "DTR") } else { (2, "PTR") };
        add(code.clone(), format!("{word}-{} {} MVA", index + 1, unit.mva), type_id, "transformer", &code, high, 0, false);
        add(format!("{code}HCB"), format!("{word}-{} HV CB", index + 1), 3, "breaker", &code, high, 0, true);
        add(format!("{code}LCB"), format!("{word}-{} LV CB", index + 1), 3, "breaker", &code, low, 0, true);
    }
    if plan.cap.is_some() {
        add("CAP1".into(), "Capacitor bank 1".into(), 9, "capacitor", "CAP1", low, 0, false);
        add("CAP1CB".into(), "Capacitor bank 1 CB".into(), 3, "breaker", "CAP1", low, 0, true);
    }
    for (index, feeder) in plan.feeders.iter().enumerate() {
        let code = format!("F{}", index + 1);
        add(code.clone(), format!("{code} {}", feeder.label), 1, "feeder", &code, low, feeder.customers, false);
        add(format!("{code}CB"), format!("{code} {} CB", feeder.label), 3, "breaker", &code, low, feeder.customers, true);
        add(format!("{code}IS"), format!("{code} isolator"), 6, "isolator", &code, low, 0, false);
        add(format!("{code}ES"), format!("{code} earth switch"), 6, "earthSwitch", &code, low, 0, false);
        add(format!("{code}R"), format!("{code} overcurrent relay"), 7, "relay", &code, low, 0, false);
        add(format!("{code}CA"), format!("{code} cable, {} km", feeder.km), 10, "cable", &code, low, 0, false);
    }
    if let Some(site) = &plan.site {
        let low = Some(SITE_KV);
        for (code, what, type_id, class) in
            [("", "", 13, "load"), ("PV", " panels", 14, "solar"), ("BAT", " battery", 14, "battery"), ("GRID", " grid meter", 14, "meter")]
        {
            add(format!("SITE1{code}"), format!("{}{what}", site.name), type_id, class, "SITE1", low, 0, false);
        }
    }
    assets
}

/// Formats a voltage: `33 kV`, `0.44 kV`.
pub(super) fn kv(kv: f64) -> String {
    format!("{kv} kV")
}

/// Returns the points of a plan, with intervals of a pace.
pub(super) fn points(plan: &Plan, pace: Pace) -> Vec<PointSpec> {
    let mut points = Vec::new();
    let mut add = |device: &str, asset: String, codes: &[&str], expected_ms: Option<i64>| {
        for code in codes {
            points.push(PointSpec {
                device: device.to_owned(),
                asset: asset.clone(),
                code: (*code).to_owned(),
                kind: if asset.ends_with("IS") || asset.ends_with("ES") {
                    PointKind::Status(Encoding::SinglePoint)
                } else {
                    kind_of_code(code)
                },
                quantity: Quantity::of_code(code),
                unit: Quantity::of_code(code).unit(),
                decimals: Quantity::of_code(code).decimals(),
                expected_ms,
            });
        }
    };
    add("STN", "STN".into(), &["DcuV", "AmbT"], Some(SLOW_MS));
    add("STN", "STN".into(), &["Loc"], None);
    add("STN", "BAT".into(), &["BatV", "BatA"], Some(SLOW_MS));
    add("BUS", "BUSH".into(), &["V", "Hz"], Some(FAST_MS));
    for section in 0..plan.sections {
        add("BUS", format!("BUS{}", section_letter(section)), &["V"], Some(FAST_MS));
    }
    if plan.sections > 1 {
        add("BUS", "BC".into(), &["Pos"], None);
    }
    for index in 1..=plan.incomers.len() {
        let code = format!("INC{index}");
        for (every, codes) in LINE {
            add(&code, code.clone(), codes, Some(every));
        }
        for device in ["CB", "IS", "ES"] {
            add(&code, format!("{code}{device}"), &["Pos"], None);
        }
    }
    for index in 1..=plan.units.len() {
        let code = format!("TX{index}");
        add(&code, code.clone(), &["P", "Q", "S", "I", "Ir", "Iy", "Ib"], Some(FAST_MS));
        add(&code, code.clone(), &["OTI", "WTI", "Tap", "OilLevel", "AmbT"], Some(SLOW_MS));
        for breaker in ["HCB", "LCB"] {
            add(&code, format!("{code}{breaker}"), &["Pos"], None);
        }
    }
    if plan.cap.is_some() {
        add("CAP1", "CAP1".into(), &["Q"], Some(FAST_MS));
        add("CAP1", "CAP1CB".into(), &["Pos"], None);
    }
    for index in 1..=plan.feeders.len() {
        let code = format!("F{index}");
        for (every, codes) in LINE {
            add(&code, code.clone(), codes, Some(every));
        }
        add(&code, code.clone(), &["FIr", "FIy", "FIb"], None);
        for device in ["CB", "IS", "ES"] {
            add(&code, format!("{code}{device}"), &["Pos"], None);
        }
        add(&code, format!("{code}R"), &["Op"], None);
        add(&code, format!("{code}CB"), &["Ops"], None);
    }
    if plan.site.is_some() {
        let mut add = |code: &str, codes: &[&str]| {
            points.extend(codes.iter().map(|what| PointSpec {
                device: "SITE1".to_owned(),
                asset: format!("SITE1{code}"),
                code: (*what).to_owned(),
                kind: kind_of_code(what),
                quantity: Quantity::of_code(what),
                // Kilowatts, because a site has about a thousandth of a feeder's power.
                unit: if *what == "P" { "kW" } else { "kWh" },
                decimals: 1,
                expected_ms: Some(FAST_MS),
            }));
        };
        add("", &["P"]);
        add("PV", &["P"]);
        add("BAT", &["P", "EBat"]);
        add("GRID", &["P"]);
    }
    for point in &mut points {
        point.expected_ms = point.expected_ms.map(|interval| interval * pace.factor());
    }
    points
}

#[cfg(test)]
mod tests {
    use crate::utility::demo;

    #[test]
    fn earth_switches_are_registered_as_such() {
        let world = demo(1);
        let assets = world.clients.iter().flat_map(|client| &client.substations).flat_map(|substation| &substation.assets);
        let mut earths = 0;
        for asset in assets {
            assert_eq!(asset.class_name == "earthSwitch", asset.code.ends_with("ES"), "{}", asset.code);
            earths += usize::from(asset.class_name == "earthSwitch");
        }
        assert!(earths > 0);
    }
}
