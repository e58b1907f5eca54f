//! The single-line diagram of a plan, on a grid of 20 units: incoming lines on top, then the high-voltage bus, transformers, low-voltage
//! bus and feeders.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use wire::sld::{Drawing, FORMAT, Size, VERSION};

use super::bays::{Plan, kv, section_letter};

/// Distance between bays, drawing units.
const PITCH: f64 = 140.0;
/// Left and right margin, drawing units.
const MARGIN: f64 = 120.0;

const Y_SOURCE: f64 = 80.0;
const Y_HIGH_BUS: f64 = 320.0;
const Y_TX: f64 = 480.0;
const Y_LOW_BUS: f64 = 640.0;
const Y_FEEDER_END: f64 = 860.0;

struct Sheet {
    elements: Vec<Map<String, Value>>,
}

impl Sheet {
    /// Adds an element with the next id.
    fn add(&mut self, class: &str, rest: Value) {
        let mut element = Map::new();
        element.insert("id".into(), json!(format!("e{}", self.elements.len() + 1)));
        element.insert("class".into(), json!(class));
        if let Value::Object(rest) = rest {
            element.extend(rest);
        }
        self.elements.push(element);
    }

    fn line(&mut self, level: f64, path: &[[f64; 2]]) {
        self.add("line", json!({ "kv": level, "path": path }));
    }

    fn breaker(&mut self, [x, y]: [f64; 2], level: f64, device: &str, asset: &str, name: &str, orientation: &str) {
        let position = json!({ "point": format!("{device}/{asset}/Pos"), "doublePoint": true });
        self.add(
            "breaker",
            json!({ "x": x, "y": y, "orientation": orientation, "kv": level, "asset": asset, "name": name, "position": position }),
        );
    }

    fn isolator(&mut self, x: f64, y: f64, level: f64, device: &str, asset: &str, category: &str) {
        let position = json!({ "point": format!("{device}/{asset}/Pos"), "doublePoint": false });
        self.add("isolator", json!({ "x": x, "y": y, "orientation": "vertical", "kv": level, "asset": asset, "name": asset, "category": category, "position": position }));
    }

    fn values(&mut self, x: f64, y: f64, align: &str, asset: &str, rows: &[(String, &str, u8)]) {
        let rows: Vec<Value> =
            rows.iter().map(|(point, unit, decimals)| json!({ "point": point, "unit": unit, "decimals": decimals })).collect();
        self.add("values", json!({ "x": x, "y": y, "align": align, "asset": asset, "rows": rows }));
    }
}

/// Draws a plan.
pub(super) fn draw(plan: &Plan, name: &str) -> Drawing {
    let bays = plan.feeders.len() + usize::from(plan.cap.is_some()) + usize::from(plan.sections > 1);
    let bays = bays.max(plan.incomers.len() * 2 + 1).max(plan.units.len() * 2 + 1);
    let width = MARGIN * 2.0 + PITCH * (bays as f64 - 1.0);
    let mut sheet = Sheet { elements: Vec::new() };
    let columns = low_side(&mut sheet, plan, width);
    units(&mut sheet, plan, &columns);
    incomers(&mut sheet, plan, width);
    let battery = [("STN/BAT/BatV".to_owned(), "V", 1), ("STN/BAT/BatA".to_owned(), "A", 1), ("STN/STN/AmbT".to_owned(), "°C", 1)];
    sheet.add("battery", json!({ "x": MARGIN, "y": 1000, "asset": "BAT", "name": "Station battery" }));
    sheet.values(MARGIN + 200.0, 980.0, "right", "BAT", &battery);
    Drawing {
        format: FORMAT.into(),
        version: VERSION,
        name: name.into(),
        size: Size { width, height: 1060.0 },
        elements: sheet.elements,
        points: BTreeMap::new(),
    }
}

/// Draws the low-voltage side. Returns the middle of each bus section, for the transformers.
fn low_side(sheet: &mut Sheet, plan: &Plan, width: f64) -> Vec<f64> {
    let low = plan.kv_low;
    let slots = plan.feeders.len() + usize::from(plan.cap.is_some()) + usize::from(plan.sections > 1);
    let start = ((width - PITCH * (slots as f64 - 1.0)) / 2.0 / 20.0).round() * 20.0;
    let mut slot = 0.0;
    let mut next = || {
        slot += 1.0;
        start + PITCH * (slot - 1.0)
    };
    let mut spans = vec![(f64::MAX, f64::MIN); plan.sections];
    let mut widen = |section: usize, x: f64| {
        let span: &mut (f64, f64) = &mut spans[section];
        *span = (span.0.min(x), span.1.max(x));
    };
    if plan.cap.is_some() {
        let x = next();
        widen(0, x);
        capacitor(sheet, x, low);
    }
    let mut coupler = None;
    for index in 0..plan.feeders.len() {
        let section = plan.section_of(index);
        if plan.sections > 1 && coupler.is_none() && section == 1 {
            coupler = Some(next());
        }
        let x = next();
        widen(section, x);
        feeder(sheet, plan, index, x);
    }
    for (section, (left, right)) in spans.iter().enumerate() {
        let letter = section_letter(section);
        let (left, right) = (left - 40.0, right + 40.0);
        sheet.add("busbar", json!({ "x1": left, "y1": Y_LOW_BUS, "x2": right, "y2": Y_LOW_BUS, "kv": low, "asset": format!("BUS{letter}"), "name": format!("{} Bus-{letter}", kv(low)) }));
        let volts = [(format!("BUS/BUS{letter}/V"), "kV", 2)];
        sheet.values(if section == 0 { left + 220.0 } else { right - 140.0 }, Y_LOW_BUS - 20.0, "right", &format!("BUS{letter}"), &volts);
    }
    if let Some(x) = coupler {
        sheet.line(low, &[[spans[0].1 + 40.0, Y_LOW_BUS], [spans[1].0 - 40.0, Y_LOW_BUS]]);
        sheet.breaker([x, Y_LOW_BUS], low, "BUS", "BC", "BC", "horizontal");
    }
    spans.iter().map(|(left, right)| (f64::midpoint(*left, *right) / 20.0).round() * 20.0).collect()
}

fn feeder(sheet: &mut Sheet, plan: &Plan, index: usize, x: f64) {
    let (low, code) = (plan.kv_low, format!("F{}", index + 1));
    sheet.line(low, &[[x, Y_LOW_BUS], [x, Y_FEEDER_END]]);
    sheet.isolator(x, Y_LOW_BUS + 40.0, low, &code, &format!("{code}IS"), "isolator");
    sheet.breaker([x, Y_LOW_BUS + 80.0], low, &code, &format!("{code}CB"), &format!("{code}CB"), "vertical");
    let position = json!({ "point": format!("{code}/{code}R/Op"), "doublePoint": false });
    sheet.add("relay", json!({ "x": x + 32.0, "y": Y_LOW_BUS + 80.0, "ansi": "51", "asset": format!("{code}R"), "name": format!("{code} 51"), "category": "relay", "position": position }));
    sheet.add("ct", json!({ "x": x, "y": Y_LOW_BUS + 120.0, "orientation": "vertical", "kv": low }));
    sheet.isolator(x, Y_LOW_BUS + 160.0, low, &code, &format!("{code}ES"), "earthSwitchRight");
    sheet.add("feeder", json!({ "x": x, "y": Y_FEEDER_END, "asset": code, "name": code, "label": plan.feeders[index].label, "kv": low }));
    let point = |what: &str| format!("{code}/{code}/{what}");
    sheet.values(x + 20.0, Y_FEEDER_END + 60.0, "right", &code, &[(point("Ir"), "A", 0), (point("P"), "MW", 2), (point("Pf"), "pf", 2)]);
}

fn capacitor(sheet: &mut Sheet, x: f64, low: f64) {
    sheet.line(low, &[[x, Y_LOW_BUS], [x, Y_LOW_BUS + 160.0]]);
    sheet.breaker([x, Y_LOW_BUS + 80.0], low, "CAP1", "CAP1CB", "CAP1CB", "vertical");
    sheet.add("capacitor", json!({ "x": x, "y": Y_LOW_BUS + 160.0, "asset": "CAP1", "name": "CAP1", "kv": low }));
    sheet.values(x + 20.0, Y_FEEDER_END + 60.0, "right", "CAP1", &[("CAP1/CAP1/Q".to_owned(), "MVAr", 2)]);
}

fn units(sheet: &mut Sheet, plan: &Plan, columns: &[f64]) {
    let (high, low) = (plan.kv_high, plan.kv_low);
    let mut seen = vec![0.0; plan.sections];
    for (index, unit) in plan.units.iter().enumerate() {
        let section = plan.section_of_unit(index);
        let x = columns[section] + seen[section] * 2.0 * PITCH;
        seen[section] += 1.0;
        let code = format!("TX{}", index + 1);
        sheet.line(high, &[[x, Y_HIGH_BUS], [x, Y_TX - 26.0]]);
        sheet.line(low, &[[x, Y_TX + 26.0], [x, Y_LOW_BUS]]);
        sheet.breaker([x, Y_HIGH_BUS + 80.0], high, &code, &format!("{code}HCB"), &format!("HV{}", index + 1), "vertical");
        let (word, group) = if plan.is_distribution() { ("DTR", "Dyn11") } else { ("PTR", if high > 100.0 { "YNyn0" } else { "Dyn11" }) };
        let tap = json!({ "point": format!("{code}/{code}/Tap") });
        sheet.add("transformer", json!({ "x": x, "y": Y_TX, "orientation": "vertical", "kvHigh": high, "kvLow": low, "asset": code, "name": format!("{word}-{}", index + 1), "mva": unit.mva, "vectorGroup": group, "tap": tap }));
        sheet.breaker([x, Y_LOW_BUS - 60.0], low, &code, &format!("{code}LCB"), &format!("LV{}", index + 1), "vertical");
        let point = |what: &str| format!("{code}/{code}/{what}");
        sheet.values(
            x - 110.0,
            Y_TX - 20.0,
            "right",
            &code,
            &[(point("P"), "MW", 2), (point("OTI"), "°C oil", 1), (point("WTI"), "°C winding", 1)],
        );
    }
}

fn incomers(sheet: &mut Sheet, plan: &Plan, width: f64) {
    let high = plan.kv_high;
    let count = plan.incomers.len() as f64;
    let mut left = f64::MAX;
    for (index, from) in plan.incomers.iter().enumerate() {
        let x = (width * (index as f64 + 1.0) / (count + 1.0) / 20.0).round() * 20.0;
        left = left.min(x);
        let code = format!("INC{}", index + 1);
        sheet.add("source", json!({ "x": x, "y": Y_SOURCE, "asset": code, "name": format!("{} {from}", kv(high)), "kv": high }));
        sheet.line(high, &[[x, Y_SOURCE], [x, Y_HIGH_BUS]]);
        sheet.isolator(x, Y_SOURCE + 40.0, high, &code, &format!("{code}ES"), "earthSwitchRight");
        sheet.isolator(x, Y_SOURCE + 80.0, high, &code, &format!("{code}IS"), "isolator");
        sheet.add("ct", json!({ "x": x, "y": Y_SOURCE + 120.0, "orientation": "vertical", "kv": high }));
        sheet.breaker([x, Y_SOURCE + 160.0], high, &code, &format!("{code}CB"), &format!("{code}CB"), "vertical");
        let point = |what: &str| format!("{code}/{code}/{what}");
        sheet.values(x - 60.0, Y_SOURCE + 80.0, "right", &code, &[(point("P"), "MW", 2), (point("Ir"), "A", 0), (point("Pf"), "pf", 2)]);
    }
    let (x1, x2) = (MARGIN + 40.0, width - MARGIN - 40.0);
    sheet.add("busbar", json!({ "x1": x1, "y1": Y_HIGH_BUS, "x2": x2, "y2": Y_HIGH_BUS, "kv": high, "asset": "BUSH", "name": format!("{} Bus-I", kv(high)) }));
    sheet.values(x2 - 100.0, Y_HIGH_BUS - 20.0, "right", "BUSH", &[("BUS/BUSH/V".to_owned(), "kV", 2)]);
    sheet.values(x2, Y_HIGH_BUS - 20.0, "right", "BUSH", &[("BUS/BUSH/Hz".to_owned(), "Hz", 2)]);
}
