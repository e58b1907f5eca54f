//! Seeds the ratings of the demo's transformers: the parameters of their simulation, and the usual limits of their indicators.

use std::collections::HashMap;

use grid::thermal::Paper;
use grid::{AssetId, ClientId};
use simulators::utility::Plan;
use store::rating::{IndicatorLimits, RatingSeed};

/// Usual settings of indicators, °C: alarm and trip of the oil, alarm and trip of the winding.
const LIMITS: IndicatorLimits =
    IndicatorLimits { oil_alarm: Some(85.0), oil_trip: Some(95.0), winding_alarm: Some(95.0), winding_trip: Some(105.0) };

/// Returns the ratings of a substation's transformers; `assets` are its assets by code.
pub(super) fn of(client: ClientId, plan: &Plan, assets: &HashMap<&str, AssetId>) -> Vec<RatingSeed> {
    let rating = |(index, unit): (usize, &simulators::utility::Unit)| {
        let asset = *assets.get(format!("TX{}", index + 1).as_str())?;
        // They have been in service for some years, and the first ones longest.
        let used_life_years = 1.6 - 0.3 * (index as f64).min(4.0);
        Some(RatingSeed {
            client,
            asset,
            mva: unit.mva,
            cooling: plan.cooling(index),
            paper: Paper::Normal,
            limits: LIMITS,
            used_life_years,
        })
    };
    plan.units.iter().enumerate().filter_map(rating).collect()
}
