//! Islands and supply of published networks are those that pandapower finds, in random switch states. `scripts/network-peers --write` writes the vectors.

use std::path::Path;

#[path = "peers/compare.rs"]
mod compare;

#[test]
fn islands_and_supply_are_those_of_pandapower() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/vectors");
    let compared = compare::folder(&folder);
    let differing: Vec<_> = compared.iter().filter_map(|of| Some((&of.name, of.differing, of.first_difference.as_ref()?))).collect();
    assert!(differing.is_empty(), "{differing:?}");
    let states = compared.iter().map(|of| of.states).sum::<usize>();
    assert_eq!((compared.len(), states), (10, 400));
    for of in &compared {
        assert!(of.buses > 3 && of.switches > 2 && of.micros < 1_000_000 && of.notes < 10, "{}: not the whole network was read", of.name);
    }
}
