//! Checks every figure of the power quality vectors (vectors/power_quality.json): computed by us from textbook definitions and checked with a second
//! formula.

use grid::power_quality::flicker::plt;
use grid::power_quality::unbalance::{between_lines, power, vuf_of_lines_percent};
use grid::power_quality::{Detector, Phasor, Rotation, Sequence, Thresholds, VoltageEventKind};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/power_quality.json")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    value.as_array().expect("a list").iter().map(number).collect::<Vec<_>>().try_into().expect("as many as that")
}

fn phasor(value: &Value) -> Phasor {
    Phasor::polar(number(&value["mag"]), number(&value["deg"]))
}

fn phasors(value: &Value) -> [Phasor; 3] {
    [0, 1, 2].map(|index| phasor(&value[index]))
}

/// Compares to 1e-9 of `scale`, the whole that the figure is a part of.
fn close(what: &str, ours: f64, theirs: &Value, scale: f64) {
    assert!((ours - number(theirs)).abs() <= 1e-9 * scale.max(1.0), "{what}: {ours}, expected {theirs}");
}

#[test]
fn phasors_and_what_follows_from_them() {
    for case in vectors()["phasor_cases"].as_array().unwrap() {
        let (volts, amperes, out) = (phasors(&case["inputs"]["v_phase"]), phasors(&case["inputs"]["i_phase"]), &case["outputs"]);
        let scale = volts[0].magnitude();
        let (voltage, current) = (Sequence::of(volts), Sequence::of(amperes));
        for (name, ours) in [
            ("V0", voltage.zero),
            ("V1", voltage.positive),
            ("V2", voltage.negative),
            ("I0", current.zero),
            ("I1", current.positive),
            ("I2", current.negative),
        ] {
            close(name, ours.magnitude(), &out[name]["mag"], scale);
            // A magnitude of 0 has no angle.
            if ours.magnitude() > 1e-6 {
                close(name, ours.degrees(), &out[name]["deg"], 1.0);
            }
        }
        let lines = between_lines(volts).map(Phasor::magnitude);
        for (index, line) in lines.iter().enumerate() {
            close("a line voltage", *line, &out["line_voltages"][index], scale);
        }
        close("VUF", voltage.vuf_percent().unwrap(), &out["VUF2_percent"], 1.0);
        close("VUF of lines", vuf_of_lines_percent(lines).unwrap(), &out["VUF2_from_line_magnitudes_CIGRE_percent"], 1.0);
        assert_eq!(voltage.rotation(), Some(Rotation::Ryb));
        let (mut p, mut q, mut arithmetic) = (0.0, 0.0, 0.0);
        for phase in 0..3 {
            let (active, reactive) = power(volts[phase], amperes[phase]);
            let apparent = active.hypot(reactive);
            close("P", active, &out["P_W"][phase], apparent);
            close("Q", reactive, &out["Q_var"][phase], apparent);
            close("S", apparent, &out["S_VA"][phase], apparent);
            (p, q, arithmetic) = (p + active, q + reactive, arithmetic + apparent);
        }
        close("the sum of P", p, &out["P_total"], arithmetic);
        close("the sum of Q", q, &out["Q_total"], arithmetic);
        close("S of the sums", p.hypot(q), &out["S_vector"], arithmetic);
        close("the sum of S", arithmetic, &out["S_arithmetic"], arithmetic);
        close("power factor", p / p.hypot(q), &out["pf_vector"], 1.0);
    }
}

#[test]
fn flicker() {
    let vectors = vectors();
    let flicker = &vectors["flicker"];
    close("Plt", plt(&numbers(&flicker["inputs"]["Pst_12_values"])), &flicker["outputs"]["Plt"], 1.0);
}

#[test]
fn dips_swells_and_interruptions() {
    let vectors = vectors();
    let (inputs, expected) = (&vectors["rms_events"]["inputs"], vectors["rms_events"]["outputs"].as_array().unwrap().clone());
    let thresholds = Thresholds {
        dip: number(&inputs["dip_threshold"]),
        swell: number(&inputs["swell_threshold"]),
        interruption: number(&inputs["interruption_threshold"]),
        hysteresis: number(&inputs["hysteresis"]),
    };
    let mut detector = Detector::new(number(&inputs["U_nom"]), thresholds);
    let halves: Vec<f64> = inputs["u_rms_half_cycle"].as_array().unwrap().iter().map(number).collect();
    let events: Vec<_> = halves.iter().flat_map(|volts| detector.next(&[*volts])).collect();
    assert_eq!(events.len(), expected.len());
    for (event, expected) in events.iter().zip(expected) {
        let kind = match event.kind {
            VoltageEventKind::Dip => "dip",
            VoltageEventKind::Interruption => "interruption",
            VoltageEventKind::Swell => "swell",
        };
        assert_eq!(kind, expected["type"]);
        assert_eq!((event.start, event.end), (expected["start_halfcycle"].as_u64().unwrap(), expected["end_halfcycle"].as_u64().unwrap()));
        let ms = (event.end - event.start) as f64 * number(&inputs["half_cycle_ms"]);
        close("duration", ms, &expected["duration_ms"], 1.0);
        // Printed with four decimals.
        assert!((event.extreme_percent - number(&expected["extreme_percent"])).abs() <= 5e-5 + 1e-9);
    }
}
