//! Ratings of transformers as entered by users; missing parameters have the defaults of the cooling.

use grid::thermal::{Cooling, Paper, Parameters, Rating, Regime};
use grid::{AssetId, ClientId};
use serde_json::{Value, json};
use tokio_postgres::Row;

use super::{IndicatorLimits, RatingRecord, word};
use crate::audit::{Entry, Origin};
use crate::convert::sql;
use crate::{Result, Store, audit, tenant};

/// Entered thermal parameters, for example from a heat-run test; `None` for the default of the cooling. Names and units as in [`Parameters`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnteredParameters {
    /// Load losses over no-load losses.
    pub loss_ratio: Option<f64>,
    /// Rise of the top oil over ambient temperature, K.
    pub oil_rise_k: Option<f64>,
    /// Rise of the hot spot over the top oil, K.
    pub gradient_k: Option<f64>,
    /// Oil exponent (x).
    pub oil_exponent: Option<f64>,
    /// Winding exponent (y).
    pub winding_exponent: Option<f64>,
    /// Time constant of the oil, min.
    pub oil_minutes: Option<f64>,
    /// Time constant of the winding, min.
    pub winding_minutes: Option<f64>,
    /// Constant k11.
    pub k11: Option<f64>,
    /// Constant k21.
    pub k21: Option<f64>,
    /// Constant k22.
    pub k22: Option<f64>,
}

/// A rating as entered by a user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnteredRating {
    /// Rated power, MVA.
    pub mva: f64,
    /// Cooling of the transformer.
    pub cooling: Cooling,
    /// Type of the insulation paper.
    pub paper: Paper,
    /// Loading regime whose limits apply to two hours of overload.
    pub regime: Regime,
    /// The entered thermal parameters.
    pub given: EnteredParameters,
    /// Limits of the indicators.
    pub limits: IndicatorLimits,
    /// Life that was used before the first stored value, years.
    pub used_life_years: f64,
}

impl EnteredRating {
    /// Returns the rating for the thermal model, with defaults for missing parameters.
    pub fn record(&self) -> RatingRecord {
        let (given, typical) = (self.given, Parameters::typical(self.cooling));
        let parameters = Parameters {
            loss_ratio: given.loss_ratio.unwrap_or(typical.loss_ratio),
            oil_rise_k: given.oil_rise_k.unwrap_or(typical.oil_rise_k),
            gradient_k: given.gradient_k.unwrap_or(typical.gradient_k),
            oil_exponent: given.oil_exponent.unwrap_or(typical.oil_exponent),
            winding_exponent: given.winding_exponent.unwrap_or(typical.winding_exponent),
            oil_minutes: given.oil_minutes.unwrap_or(typical.oil_minutes),
            winding_minutes: given.winding_minutes.unwrap_or(typical.winding_minutes),
            k11: given.k11.unwrap_or(typical.k11),
            k21: given.k21.unwrap_or(typical.k21),
            k22: given.k22.unwrap_or(typical.k22),
        };
        RatingRecord {
            rating: Rating { mva: self.mva, paper: self.paper, regime: self.regime, parameters },
            cooling: self.cooling,
            limits: self.limits,
            used_life_years: self.used_life_years,
        }
    }

    /// Returns the rating as JSON, for storage and for the audit.
    fn audit_value(&self) -> Value {
        let Self { mva, cooling, paper, regime, given, limits, used_life_years } = self;
        json!({
            "rated_mva": mva, "cooling": cooling.as_str(), "paper": paper.as_str(), "regime": regime.as_str(), "loss_ratio": given.loss_ratio,
            "oil_rise_k": given.oil_rise_k, "gradient_k": given.gradient_k, "oil_exponent": given.oil_exponent,
            "winding_exponent": given.winding_exponent, "oil_minutes": given.oil_minutes, "winding_minutes": given.winding_minutes, "k11": given.k11,
            "k21": given.k21, "k22": given.k22, "oil_alarm_c": limits.oil_alarm, "oil_trip_c": limits.oil_trip, "winding_alarm_c": limits.winding_alarm,
            "winding_trip_c": limits.winding_trip, "used_life_years": used_life_years,
        })
    }
}

impl Store {
    /// Returns the entered ratings of all transformers of a utility, or of one of them, ordered by asset.
    pub async fn plates(&self, client: ClientId, asset: Option<AssetId>) -> Result<Vec<(AssetId, EnteredRating)>> {
        let rows = self.of(client).query(sql!("rating/of_client"), &[&client.0, &asset.map(|asset| asset.0)]).await?;
        rows.iter().map(plate).collect()
    }

    /// Replaces the rating of a transformer and adds an audit entry.
    pub async fn replace_plate(&self, client: ClientId, asset: AssetId, new: &EnteredRating, origin: &Origin) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // If two administrators save at the same time, the second rating replaces the first one completely.
        let statement = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
        let statement = transaction.prepare_cached(sql!("rating/of_client")).await?;
        let before = transaction.query_opt(&statement, &[&client.0, &Some(asset.0)]).await?;
        let before = before.as_ref().map(|row| plate(row).map(|(_, plate)| plate.audit_value())).transpose()?;
        let after = new.audit_value();
        let statement = transaction.prepare_cached(sql!("rating/put")).await?;
        transaction.execute(&statement, &[&client.0, &asset.0, &after]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "rating_changed", format!("asset {asset}"));
        audit::enter(&transaction, &entry.changing(before, Some(after))).await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn plate(row: &Row) -> Result<(AssetId, EnteredRating)> {
    let number = |column: &str| row.try_get::<_, Option<f64>>(column);
    let plate = EnteredRating {
        mva: row.try_get("rated_mva")?,
        cooling: word(row, "cooling", Cooling::parse)?,
        paper: word(row, "paper", Paper::parse)?,
        regime: word(row, "regime", Regime::parse)?,
        given: EnteredParameters {
            loss_ratio: number("loss_ratio")?,
            oil_rise_k: number("oil_rise_k")?,
            gradient_k: number("gradient_k")?,
            oil_exponent: number("oil_exponent")?,
            winding_exponent: number("winding_exponent")?,
            oil_minutes: number("oil_minutes")?,
            winding_minutes: number("winding_minutes")?,
            k11: number("k11")?,
            k21: number("k21")?,
            k22: number("k22")?,
        },
        limits: IndicatorLimits {
            oil_alarm: number("oil_alarm_c")?,
            oil_trip: number("oil_trip_c")?,
            winding_alarm: number("winding_alarm_c")?,
            winding_trip: number("winding_trip_c")?,
        },
        used_life_years: row.try_get("used_life_years")?,
    };
    Ok((AssetId(row.try_get("asset_id")?), plate))
}
