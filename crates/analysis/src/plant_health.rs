//! The health of transformers and switchgear in a substation.

use std::collections::BTreeMap;

use grid::cable_health::{AssessedPlant, Bands};
use grid::{AssetId, NodeId};
use identity::View;
use store::Store;
use store::cable::PlantRecord;
use wire::cable_health::PlantRow;

use crate::cable_health::{MODEL, NO_MODEL, configuration};
use crate::error::Error;

/// Returns the plant of a substation with its health at the end of a year, sorted by name.
pub async fn plant(store: &Store, view: &View, location: NodeId, year: i32) -> Result<Vec<PlantRow>, Error> {
    let bands = configuration(view).bands();
    let mut parts: BTreeMap<AssetId, Vec<PlantRecord>> = BTreeMap::new();
    for part in store.plant(view.principal.client, location, year).await? {
        parts.entry(part.asset).or_default().push(part);
    }
    let mut plant: Vec<PlantRow> = parts.iter().filter_map(|(asset, parts)| row(view, *asset, parts, bands)).collect();
    plant.sort_by(|one, other| (&one.asset_name, one.asset_id).cmp(&(&other.asset_name, other.asset_id)));
    Ok(plant)
}

/// Returns the assessment of a part, or the reason why it cannot be assessed.
fn assessed(part: &PlantRecord, bands: Bands) -> Result<AssessedPlant, String> {
    let plant = part.plant.ok_or_else(|| {
        let what = if part.tap_changer { "tap changers of transformers" } else { "plant" };
        format!("CNAIM has no model of {what} of {} kV", part.kv)
    })?;
    plant.assess(&part.state, bands).map_err(|fault| fault.to_string())
}

fn row(view: &View, asset: AssetId, parts: &[PlantRecord], bands: Bands) -> Option<PlantRow> {
    let judged: Vec<_> = parts.iter().map(|part| (part, assessed(part, bands))).collect();
    let known = judged.iter().filter_map(|(part, assessed)| Some((*part, assessed.as_ref().ok()?)));
    let worst = known.max_by(|(_, one), (_, other)| one.health.score().total_cmp(&other.health.score()));
    let why = judged.iter().find_map(|(_, assessed)| assessed.as_ref().err().cloned()).filter(|_| worst.is_none());
    let (shown, known) = worst.map_or((parts.first()?, None), |(part, known)| (part, Some(known)));
    // The age of a transformer is that of its tank, even if parts were replaced.
    let main = parts.iter().find(|part| !part.tap_changer).unwrap_or(shown);
    let part = (parts.len() > 1 || shown.tap_changer).then(|| if shown.tap_changer { "tap_changer" } else { "main" }.to_owned());
    Some(PlantRow {
        asset_id: asset.0,
        asset_name: view.field.asset(asset).map(|asset| asset.name.clone()).unwrap_or_default(),
        kind: format!("{} kV {}", main.kv, main.kind),
        part,
        health_score: known.map(|known| known.health.score()),
        health_index_band: known.map(|known| known.band.as_str().to_owned()),
        pof: known.map(|known| known.failures),
        cof: known.map(|known| known.cost.total()),
        risk: known.map(|known| known.risk),
        remaining_life: known.map(|known| known.health.remaining_years()),
        age_of_plant: main.state.age_years as i32,
        model: if known.is_some() { MODEL } else { NO_MODEL }.to_owned(),
        model_note: why,
    })
}
