//! Checks every figure of the vectors of losses and demand (vectors/losses_demand.json), which we computed from textbook
//! formulas.

use grid::Micros;
use grid::demand::{self, Band, Block, SHARE_MIN};
use grid::energy::losses::{
    Transformer, atc_percent, efficiency_percent, guessed_loss_load_factor, load_factor, loss_load_factor, td_percent,
};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/losses_demand.json")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn close(what: &str, ours: f64, theirs: &Value) {
    let theirs = number(theirs);
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{what}: {ours}, expected {theirs}");
}

#[test]
fn a_day_of_a_transformer() {
    let case = &vectors()["transformer_losses"];
    let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
    let transformer = Transformer { no_load_kw: number(&inputs["P0_kW"]), load_kw: number(&inputs["Pk_kW"]) };
    let loads = numbers(&inputs["K_hourly"]);
    let rated_kw = number(&inputs["S_kVA"]) * number(&inputs["pf"]);
    let lost = transformer.loss_kwh(&loads, 1.0);
    let out: f64 = loads.iter().map(|load| load * rated_kw).sum();
    close("losses", lost, &outputs["loss_kWh"]);
    close("energy", out, &outputs["energy_out_kWh"]);
    close("efficiency", efficiency_percent(out, lost).expect("energy"), &outputs["all_day_efficiency_percent"]);
    let factor = load_factor(&loads).expect("loads");
    close("load factor", factor, &outputs["load_factor"]);
    close("loss load factor", loss_load_factor(&loads).expect("loads"), &outputs["loss_load_factor"]);
    close("guessed, 0.3", guessed_loss_load_factor(factor, 0.3), &outputs["llf_buller_woodrow_0p3"]);
    close("guessed, 0.2", guessed_loss_load_factor(factor, 0.2), &outputs["llf_0p2_0p8"]);
    close("best load", transformer.best_load().expect("losses"), &outputs["K_max_efficiency"]);
    close("peak", loads.iter().copied().fold(0.0, f64::max) * rated_kw, &outputs["peak_kW"]);
    assert_eq!((load_factor(&[]), loss_load_factor(&[0.0]), efficiency_percent(0.0, 0.0)), (None, None, None));
}

#[test]
fn what_is_fed_in_billed_and_paid() {
    let case = &vectors()["energy_accounting"];
    let (input, billed) = (number(&case["inputs"]["input_kWh"]), number(&case["inputs"]["billed_kWh"]));
    let collection = number(&case["inputs"]["collection_efficiency"]);
    let outputs = &case["outputs"];
    close("T&D", td_percent(input, billed).expect("an input"), &outputs["TD_loss_percent"]);
    close("AT&C", atc_percent(input, billed, collection).expect("an input"), &outputs["ATC_loss_percent"]);
    close("billing", billed / input, &outputs["billing_efficiency"]);
    assert_eq!((td_percent(0.0, 1.0), atc_percent(0.0, 1.0, 1.0)), (None, None));
}

#[test]
fn the_peaks_of_a_day_by_its_quarters() {
    let case = &vectors()["peak_demand"];
    let quarter = 15 * 60_000_000;
    let blocks: Vec<Block> = (numbers(&case["inputs"]["kw_15min"]).into_iter().enumerate())
        .map(|(slot, kw)| Block { start: Micros(slot as i64 * quarter), demand: Some(kw), share: 1.0 })
        .collect();
    let peaks = demand::peaks(&blocks, SHARE_MIN, |at| (at.0 / 3_600_000_000) as u8);
    for (band, name) in Band::ALL.into_iter().zip(["Night", "Morning", "Day", "Evening"]) {
        let (block, largest) = peaks[band as usize].expect("a peak");
        let expected = &case["outputs"][name];
        close(name, largest, &expected["peakDemand"]);
        let slot = block.start.0 / quarter;
        assert_eq!(Some(slot), expected["slot"].as_i64(), "{name}");
        assert_eq!(expected["time"], format!("{:02}:{:02}", slot / 4, slot % 4 * 15), "{name} begins with its block");
    }
}
