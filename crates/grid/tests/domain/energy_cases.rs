//! Checks the peaks of the vectors of losses and demand (vectors/losses_demand.json), which we computed from textbook
//! formulas.

use grid::Micros;
use grid::demand::{self, Band, Block, SHARE_MIN};
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
