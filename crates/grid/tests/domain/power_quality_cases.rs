//! Checks every figure of the power quality vectors (vectors/power_quality.json): computed by us from textbook definitions and checked with a second
//! formula.

use grid::power_quality::flicker::plt;
use grid::power_quality::harmonics::{k_factor, rms, tdd_percent, thd_percent};
use grid::power_quality::unbalance::{between_lines, deviation_percent, neutral, power, vuf_of_lines_percent};
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
            ("I_neutral", neutral(amperes)),
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
        close("V0/V1", voltage.zero_percent().unwrap(), &out["VUF0_percent"], 1.0);
        close("VUF of lines", vuf_of_lines_percent(lines).unwrap(), &out["VUF2_from_line_magnitudes_CIGRE_percent"], 1.0);
        close("LVUR", deviation_percent(lines).unwrap(), &out["LVUR_NEMA_percent"], 1.0);
        close("PVUR", deviation_percent(volts.map(Phasor::magnitude)).unwrap(), &out["PVUR_IEEE_percent"], 1.0);
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

/// Returns the order and magnitude of each component, sorted by order.
fn spectrum(value: &Value) -> Vec<(u32, f64)> {
    let mut spectrum: Vec<(u32, f64)> =
        value.as_object().expect("orders").iter().map(|(order, magnitude)| (order.parse().expect("an order"), number(magnitude))).collect();
    spectrum.sort_by_key(|(order, _)| *order);
    spectrum
}

#[test]
fn harmonics() {
    let vectors = vectors();
    let (inputs, out) = (&vectors["harmonics"]["inputs"], &vectors["harmonics"]["outputs"]);
    let volts = spectrum(&inputs["voltage_harmonics_percent"]);
    let amperes = spectrum(&inputs["current_harmonics_A"]);
    let above = |spectrum: &[(u32, f64)]| spectrum[1..].iter().map(|(_, magnitude)| *magnitude).collect::<Vec<_>>();
    let (fundamental, harmonics) = (amperes[0].1, above(&amperes));
    close("THD of voltage", thd_percent(volts[0].1, &above(&volts)).unwrap(), &out["THD_V_percent"], 1.0);
    close("THD of current", thd_percent(fundamental, &harmonics).unwrap(), &out["THD_I_percent"], 1.0);
    close("TDD", tdd_percent(number(&inputs["max_demand_current_IL_A"]), &harmonics).unwrap(), &out["TDD_percent"], 1.0);
    close("rms", rms(fundamental, &harmonics), &out["I_rms_A"], fundamental);
    close("K factor", k_factor(&amperes).unwrap(), &out["K_factor"], 1.0);
    assert_eq!((thd_percent(0.0, &harmonics), k_factor(&[])), (None, None));
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
