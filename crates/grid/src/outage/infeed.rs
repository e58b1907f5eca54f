//! Whether an incoming line is measured dead. A substation is never its own source: if its incoming lines are dead, everything behind them is dead too.

/// Highest voltage of a dead line, as a part of the nominal voltage: below it the supply is interrupted (IEEE 1159-2019, table 2).
const DEAD_BELOW: f64 = 0.1;

/// Returns whether a line with this voltage is dead. `code` is the code of the point, such as `Vry` or `Vr`; voltages are in kV.
pub fn is_dead_voltage(code: &str, nominal_kv: f64, kv: f64) -> bool {
    let is_to_earth = matches!(code, "Vr" | "Vy" | "Vb");
    let nominal = if is_to_earth { nominal_kv / 3.0_f64.sqrt() } else { nominal_kv };
    kv.abs() < DEAD_BELOW * nominal
}
