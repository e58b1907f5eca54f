//! The usual rules of a point, with which the demo is seeded. The limits are common practice; the utility must confirm them.

use super::{AlarmKind, Rule};
use crate::Point;
use crate::measure::Quantity;
use crate::point;

/// Rated values from the asset's nameplate; `None` if not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rated {
    /// Rated voltage between phases, kV.
    pub kv: Option<f64>,
    /// Rated current, A.
    pub current_a: Option<f64>,
    /// Rated battery voltage, V.
    pub battery_v: Option<f64>,
}

fn rule(point: &Point, kind: AlarmKind, limit: Option<f64>, deadband: f64, priority: i16, delays: (i32, i32), text: &str) -> Rule {
    let (on_delay_s, off_delay_s) = delays;
    let text = text.to_owned();
    let point = point.id;
    Rule { point, kind, enabled: true, limit, deadband, state_value: None, on_delay_s, off_delay_s, priority, text }
}

/// Returns the default rules of a point.
pub fn rules(point: &Point, rated: Rated) -> Vec<Rule> {
    if point.kind != point::PointKind::Measurand {
        return states(point);
    }
    let high = |low: f64, high: f64, deadband: f64, delay: i32, text: &str| {
        vec![
            rule(point, AlarmKind::High, Some(low), deadband, 2, (delay, delay), text),
            rule(point, AlarmKind::HighHigh, Some(high), deadband, 1, (delay, delay), text),
        ]
    };
    match (point.code.as_str(), point.quantity) {
        // Common alarm and trip settings of the indicators of power transformers.
        ("OTI", _) => high(85.0, 95.0, 3.0, 10, "Oil temperature"),
        ("WTI", _) => high(95.0, 105.0, 3.0, 10, "Winding temperature"),
        ("OilLevel", _) => vec![rule(point, AlarmKind::Low, Some(25.0), 2.0, 2, (30, 30), "Oil level")],
        // A lead-acid battery of 55 cells: at 1.85 V per cell it is discharged, at 2.0 V per cell the charger is off.
        ("BatV", _) => {
            let nominal = rated.battery_v.unwrap_or(110.0);
            vec![
                rule(point, AlarmKind::Low, Some(nominal), nominal * 0.01, 2, (60, 60), "Station battery voltage"),
                rule(point, AlarmKind::LowLow, Some(nominal * 0.925), nominal * 0.01, 1, (60, 60), "Station battery voltage"),
            ]
        }
        (code, Quantity::Current) if code.starts_with('I') => match rated.current_a.filter(|rated| *rated > 0.0) {
            Some(rated) => high(rated, rated * 1.2, rated * 0.03, 30, "Load"),
            None => Vec::new(),
        },
        (code, Quantity::Voltage) => voltage(point, code, rated),
        _ => Vec::new(),
    }
}

/// Utilities in India must keep the voltage within ±6 % for customers up to 33 kV (IS 12360). ±9 % is close to the 10 % at which EN 50160 counts an event.
fn voltage(point: &Point, code: &str, rated: Rated) -> Vec<Rule> {
    let Some(between) = rated.kv.filter(|kv| *kv > 0.0) else { return Vec::new() };
    let nominal = match code {
        "Vr" | "Vy" | "Vb" => between / 3.0_f64.sqrt(),
        "V" => between,
        _ => return Vec::new(),
    };
    let text = "Voltage";
    let one = |kind, factor: f64, priority| rule(point, kind, Some(nominal * factor), nominal * 0.005, priority, (30, 30), text);
    vec![one(AlarmKind::High, 1.06, 3), one(AlarmKind::HighHigh, 1.09, 2), one(AlarmKind::Low, 0.94, 3), one(AlarmKind::LowLow, 0.91, 2)]
}

fn states(point: &Point) -> Vec<Rule> {
    let (priority, text) = match point.code.as_str() {
        // The trip of the breaker has the higher priority. The relay that operates with it must not count as a second urgent alarm (EEMUA
        // 191).
        "Op" => (2, "Relay operated"),
        "Alm" => (2, "Alarm contact"),
        _ => return Vec::new(),
    };
    vec![Rule { state_value: Some(1.0), ..rule(point, AlarmKind::State, None, 0.0, priority, (0, 0), text) }]
}
