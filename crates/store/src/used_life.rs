//! Accumulated life consumption of transformers (`grid::thermal::UsedLife`).

use grid::thermal::LifeState;
use grid::{AssetId, ClientId, Micros};

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Result, Store};

impl Store {
    /// Returns the latest stored state of a transformer at or before a time. The state was computed with this basis, or with any basis if `basis` is `None`.
    pub async fn used_life_before(&self, client: ClientId, asset: AssetId, at: Micros, basis: Option<&str>) -> Result<Option<LifeState>> {
        let row = self.of(client).query_opt(sql!("used_life/before"), &[&client.0, &asset.0, &Stamp(at), &basis]).await?;
        let Some(row) = row else { return Ok(None) };
        let last = row.try_get::<_, Option<f64>>("rate")?.zip(micros_or_null(&row, "valid_until")?);
        Ok(Some(LifeState { at: micros(&row, "until")?, years: row.try_get("years")?, missing_ms: row.try_get("missing_ms")?, last }))
    }

    /// Stores states of a transformer that were computed with a basis. Stored states with the same basis stay as they are.
    pub async fn put_used_life(&self, client: ClientId, asset: AssetId, basis: &str, states: &[LifeState]) -> Result<()> {
        fn column<T>(states: &[LifeState], value: impl Fn(&LifeState) -> T) -> Vec<T> {
            states.iter().map(value).collect()
        }
        self.execute(
            sql!("used_life/put"),
            &[
                &client.0,
                &asset.0,
                &basis,
                &column(states, |state| Stamp(state.at)),
                &column(states, |state| state.years),
                &column(states, |state| state.missing_ms),
                &column(states, |state| state.last.map(|(rate, _)| rate)),
                &column(states, |state| state.last.map(|(_, until)| Stamp(until))),
            ],
        )
        .await?;
        Ok(())
    }
}
