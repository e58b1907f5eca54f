//! The numerical fields of parts, each with its valid range.

use std::fmt;

use crate::description::{
    Consumption, Electrical, Generation, Line, PhaseImpedance, SequenceImpedance, Shunt, SourceVoltage, Switch, Transformer,
};

/// The highest nominal voltage, kV.
pub(super) const KV_MAX: f64 = 2_000.0;

/// Which numbers are possible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Range {
    Any,
    NotNegative,
    Between(f64, f64),
    /// Above 0, up to a limit.
    UpTo(f64),
}

impl Range {
    pub(super) fn has(self, number: f64) -> bool {
        match self {
            Self::Any => true,
            Self::NotNegative => number >= 0.0,
            Self::Between(least, most) => (least..=most).contains(&number),
            Self::UpTo(most) => number > 0.0 && number <= most,
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => write!(out, "any number"),
            Self::NotNegative => write!(out, "0 or more"),
            Self::Between(least, most) => write!(out, "{least} to {most}"),
            Self::UpTo(most) => write!(out, "above 0, up to {most}"),
        }
    }
}

/// Calls `visit` with the name, the value and the range of each number.
pub(super) fn visit(electrical: &Electrical, visit: &mut impl FnMut(&str, f64, Range)) {
    match electrical {
        Electrical::Nothing => {}
        Electrical::Switch(Switch { is_normally_open: _, rated_a, breaking_ka }) => {
            optional("rated_a", *rated_a, Range::NotNegative, visit);
            optional("breaking_ka", *breaking_ka, Range::NotNegative, visit);
        }
        Electrical::Line(line) => visit_line(line, visit),
        Electrical::Transformer(transformer) => visit_transformer(transformer, visit),
        // The reactance of a series capacitor is negative.
        Electrical::Series(series) => visit_impedance(series, Range::Any, visit),
        Electrical::Shunt(Shunt { g_s, b_s }) => {
            visit("g_s", *g_s, Range::NotNegative);
            visit("b_s", *b_s, Range::Any);
        }
        Electrical::Source(SourceVoltage { voltage_pu, angle_deg, impedance }) => {
            visit("voltage_pu", *voltage_pu, Range::UpTo(2.0));
            visit("angle_deg", *angle_deg, Range::Any);
            if let Some(impedance) = impedance {
                visit_impedance(impedance, Range::NotNegative, visit);
            }
        }
        Electrical::Consumer(consumption) => visit_consumption(consumption, visit),
        Electrical::Generator(Generation { kw, kvar, voltage_pu, rated_kva, stored_kwh }) => {
            visit("kw", *kw, Range::Any);
            visit("kvar", *kvar, Range::Any);
            optional("voltage_pu", *voltage_pu, Range::UpTo(2.0), visit);
            optional("rated_kva", *rated_kva, Range::NotNegative, visit);
            optional("stored_kwh", *stored_kwh, Range::NotNegative, visit);
        }
        Electrical::DirectCurrent { kw } => visit("kw", *kw, Range::Any),
    }
}

fn optional(name: &str, number: Option<f64>, range: Range, visit: &mut impl FnMut(&str, f64, Range)) {
    if let Some(number) = number {
        visit(name, number, range);
    }
}

fn visit_impedance(impedance: &SequenceImpedance, reactance: Range, visit: &mut impl FnMut(&str, f64, Range)) {
    let SequenceImpedance { r_ohm, x_ohm, r0_ohm, x0_ohm } = *impedance;
    visit("r_ohm", r_ohm, Range::NotNegative);
    visit("x_ohm", x_ohm, reactance);
    optional("r0_ohm", r0_ohm, Range::NotNegative, visit);
    optional("x0_ohm", x0_ohm, reactance, visit);
}

fn visit_line(line: &Line, visit: &mut impl FnMut(&str, f64, Range)) {
    let Line { length_km, series, g_s, b_s, b0_s, by_phase, rated_a } = line;
    optional("length_km", *length_km, Range::NotNegative, visit);
    visit_impedance(series, Range::NotNegative, visit);
    visit("g_s", *g_s, Range::NotNegative);
    visit("b_s", *b_s, Range::NotNegative);
    optional("b0_s", *b0_s, Range::NotNegative, visit);
    optional("rated_a", *rated_a, Range::NotNegative, visit);
    let Some(PhaseImpedance { r_ohm, x_ohm, b_s }) = by_phase else { return };
    for (name, numbers) in [("by_phase.r_ohm", r_ohm), ("by_phase.x_ohm", x_ohm), ("by_phase.b_s", b_s)] {
        for (position, number) in numbers.iter().enumerate() {
            // The phases themselves: AA, BB and CC. Between two phases, each sign is possible.
            let range = if [0, 2, 5].contains(&position) { Range::NotNegative } else { Range::Any };
            visit(name, *number, range);
        }
    }
}

fn visit_transformer(transformer: &Transformer, visit: &mut impl FnMut(&str, f64, Range)) {
    // In the star of three windings, the impedance of one can be negative.
    let series = if transformer.ends.len() == 2 { Range::NotNegative } else { Range::Any };
    for end in &transformer.ends {
        // 0 is the value of what is not known: another rule.
        visit("rated_kv", end.rated_kv, Range::Between(0.0, KV_MAX));
        optional("rated_kva", end.rated_kva, Range::NotNegative, visit);
        visit("clock", f64::from(end.clock), Range::Between(0.0, 11.0));
        let SequenceImpedance { r_ohm, x_ohm, r0_ohm, x0_ohm } = end.series;
        visit("r_ohm", r_ohm, series);
        visit("x_ohm", x_ohm, series);
        optional("r0_ohm", r0_ohm, series, visit);
        optional("x0_ohm", x0_ohm, series, visit);
        visit("g_s", end.g_s, Range::Any);
        visit("b_s", end.b_s, Range::Any);
        if let Some(tap) = end.tap {
            let steps = Range::Between(f64::from(tap.low), f64::from(tap.high));
            visit("tap.step", f64::from(tap.step), steps);
            visit("tap.step_percent", tap.step_percent, Range::Between(-100.0, 100.0));
            visit("tap.step_degrees", tap.step_degrees, Range::Between(-180.0, 180.0));
        }
    }
}

fn visit_consumption(consumption: &Consumption, visit: &mut impl FnMut(&str, f64, Range)) {
    let Consumption { customers: _, kw, kvar, by_phase, constant_impedance, constant_current, is_delta: _ } = consumption;
    visit("kw", *kw, Range::Any);
    visit("kvar", *kvar, Range::Any);
    for number in by_phase.iter().flatten().flatten() {
        visit("by_phase", *number, Range::Any);
    }
    visit("constant_impedance", *constant_impedance, Range::Between(0.0, 1.0));
    visit("constant_current", *constant_current, Range::Between(0.0, 1.0));
    visit("constant_impedance + constant_current", constant_impedance + constant_current, Range::Between(0.0, 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_limits() {
        for (range, possible, impossible) in [
            (Range::Any, vec![-1e300, 0.0], vec![]),
            (Range::NotNegative, vec![0.0, 1.0], vec![-1e-9]),
            (Range::Between(-1.0, 1.0), vec![-1.0, 1.0], vec![-1.1, 1.1]),
            (Range::UpTo(2.0), vec![0.1, 2.0], vec![0.0, 2.1]),
        ] {
            assert!(possible.iter().all(|number| range.has(*number)), "{range}");
            assert!(!impossible.iter().any(|number| range.has(*number)), "{range}");
        }
    }
}
