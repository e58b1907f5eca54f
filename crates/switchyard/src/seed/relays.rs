//! Seeds the relay settings of the demo's feeders. They agree with the simulated relays, which clear every fault anywhere on the feeder at once, and never
//! operate at a load current.

use std::collections::HashMap;

use grid::AssetId;
use grid::protection::{Curve, Element, Setting};
use simulators::physics::fault_level::FaultLevels;
use simulators::physics::protection::LEAST_PART;
use simulators::utility::{Plan, Substation};

/// Operating time of the relay, s. The rest of the clearing time is the operating time of the breaker.
const INSTANTANEOUS_S: f64 = 0.05;
/// Pickup of the instantaneous element, as a share of the smallest fault current at the far end.
const REACH: f64 = 0.8;
/// Pickup of the time-delayed element, as a multiple of the highest load.
const OVERLOAD: f64 = 1.25;
/// Minimum pickup of the time-delayed element, A. It is used for feeders without a load.
const PICKUP_MIN_A: f64 = 100.0;
/// Power factor at the highest load.
const POWER_FACTOR: f64 = 0.9;
/// Pickup of the earth-fault elements, as a share of the phase elements' pickup.
const EARTH: f64 = 0.2;
/// Multiplier of the time-delayed elements.
const TMS: f64 = 0.1;

/// Returns the settings of a substation's feeders; `assets` are its assets by code. Low-voltage feeders have fuses and no relays.
pub(super) fn of(substation: &Substation, levels: &FaultLevels, assets: &HashMap<&str, AssetId>) -> Vec<(AssetId, Setting)> {
    let plan = &substation.plan;
    if plan.is_distribution() {
        return Vec::new();
    }
    let of_feeder = |feeder: usize| {
        let asset = assets.get(format!("F{}", feeder + 1).as_str());
        asset.into_iter().flat_map(move |asset| settings(substation, levels, feeder).map(|setting| (*asset, setting)))
    };
    (0..plan.feeders.len()).flat_map(of_feeder).collect()
}

/// Returns the highest load of a feeder, A.
fn peak_a(plan: &Plan, feeder: usize) -> f64 {
    plan.feeders[feeder].peak_mw * 1_000.0 / (3f64.sqrt() * plan.kv_low * POWER_FACTOR)
}

fn settings(substation: &Substation, levels: &FaultLevels, feeder: usize) -> [Setting; 4] {
    let plan = &substation.plan;
    let tens = |amps: f64| (amps / 10.0).round() * 10.0;
    let load_a = tens((peak_a(plan, feeder) * OVERLOAD).max(PICKUP_MIN_A));
    let at_end = levels.current_a(&substation.code, feeder, 1.0).unwrap_or(0.0);
    let fault_a = tens(at_end * LEAST_PART * REACH);
    let inverse = |element, pickup_a| Setting { element, pickup_a, curve: Curve::Standard, tms: Some(TMS), time_s: None };
    let definite = |element, pickup_a| Setting { element, pickup_a, curve: Curve::DefiniteTime, tms: None, time_s: Some(INSTANTANEOUS_S) };
    [
        inverse(Element::Time, load_a),
        definite(Element::Instantaneous, fault_a),
        inverse(Element::EarthTime, tens(load_a * EARTH).max(10.0)),
        definite(Element::EarthInstantaneous, tens(fault_a * EARTH).max(10.0)),
    ]
}

#[cfg(test)]
mod tests {
    use grid::protection::first;
    use simulators::physics::protection::CLEARING_MS;

    use super::*;

    #[test]
    fn relays_of_the_demo_clear_every_fault_as_the_simulated_ones_do_and_no_load() {
        let mut feeders = 0;
        for client in simulators::utility::demo(1).clients {
            let levels = FaultLevels::new(&client);
            for substation in client.substations.iter().filter(|substation| !substation.plan.is_distribution()) {
                let plan = &substation.plan;
                for feeder in 0..plan.feeders.len() {
                    let settings = settings(substation, &levels, feeder);
                    assert_eq!(settings.iter().find_map(Setting::wrong), None, "{settings:?}");
                    for place in [0.1, 0.5, 1.0] {
                        let amps = levels.current_a(&substation.code, feeder, place).expect("a feeder") * LEAST_PART;
                        assert_eq!(first(&settings, amps), Some((Element::Instantaneous, INSTANTANEOUS_S)), "{amps} A: {settings:?}");
                    }
                    assert_eq!(first(&settings, peak_a(plan, feeder) * 1.1), None, "{settings:?}");
                    assert!(settings[1].pickup_a > settings[0].pickup_a * 1.5, "{settings:?}");
                    feeders += 1;
                }
            }
        }
        assert!(feeders > 20, "{feeders}");
        assert!(INSTANTANEOUS_S * 1_000.0 < CLEARING_MS.start as f64, "the breaker needs time, too");
    }
}
