//! Ratings of transformers: the data of the thermal model (`grid::thermal`) and the limits of the indicators.

use grid::thermal::{Cooling, Paper, Rating};
use grid::{AssetId, ClientId, Micros, PointId};
use tokio_postgres::Row;

use crate::convert::{micros_or_null, sql};
use crate::{Error, Result, Store};

mod plate;

pub use plate::{EnteredParameters, EnteredRating};

/// The rating of a transformer with its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingRecord {
    /// Rating, insulation and thermal parameters. Parameters that are not stored have the defaults of the cooling.
    pub rating: Rating,
    /// Cooling of the transformer.
    pub cooling: Cooling,
    /// Limits of the indicators.
    pub limits: IndicatorLimits,
    /// Life that was used before the first stored value, years.
    pub used_life_years: f64,
}

/// Temperatures at which the indicators of a transformer alarm and trip, °C; `None` for none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IndicatorLimits {
    /// Oil temperature of the alarm.
    pub oil_alarm: Option<f64>,
    /// Oil temperature of the trip.
    pub oil_trip: Option<f64>,
    /// Winding temperature of the alarm.
    pub winding_alarm: Option<f64>,
    /// Winding temperature of the trip.
    pub winding_trip: Option<f64>,
}

/// A rating to store during seeding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingSeed {
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the transformer.
    pub asset: AssetId,
    /// Rated power, MVA.
    pub mva: f64,
    /// Cooling, which decides the default thermal parameters.
    pub cooling: Cooling,
    /// Type of the insulation paper.
    pub paper: Paper,
    /// Limits of the indicators.
    pub limits: IndicatorLimits,
    /// Life that was used before the first stored value, years.
    pub used_life_years: f64,
}

impl Store {
    /// Returns the rating of a transformer; `None` without a rating, or if it belongs to another utility.
    pub async fn rating(&self, client: ClientId, asset: AssetId) -> Result<Option<RatingRecord>> {
        Ok(self.plates(client, Some(asset)).await?.first().map(|(_, plate)| plate.record()))
    }

    /// Returns the time of the first stored value of some points of a utility; `None` without values.
    pub async fn since(&self, client: ClientId, points: &[PointId]) -> Result<Option<Micros>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let row = self.of(client).query_opt(sql!("rating/since"), &[&client.0, &points]).await?;
        Ok(row.as_ref().map(|row| micros_or_null(row, "since")).transpose()?.flatten())
    }

    /// Stores ratings of transformers that have none.
    pub async fn put_ratings(&self, seeds: &[RatingSeed]) -> Result<()> {
        fn column<T>(seeds: &[RatingSeed], value: impl Fn(&RatingSeed) -> T) -> Vec<T> {
            seeds.iter().map(value).collect()
        }
        self.execute(
            sql!("seed/put_ratings"),
            &[
                &column(seeds, |seed| seed.asset.0),
                &column(seeds, |seed| seed.client.0),
                &column(seeds, |seed| seed.mva),
                &column(seeds, |seed| seed.cooling.as_str()),
                &column(seeds, |seed| seed.paper.as_str()),
                &column(seeds, |seed| seed.limits.oil_alarm),
                &column(seeds, |seed| seed.limits.oil_trip),
                &column(seeds, |seed| seed.limits.winding_alarm),
                &column(seeds, |seed| seed.limits.winding_trip),
                &column(seeds, |seed| seed.used_life_years),
            ],
        )
        .await?;
        Ok(())
    }
}

fn word<T>(row: &Row, column: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
    let word: &str = row.try_get(column)?;
    read(word).ok_or_else(|| Error::Unreadable(format!("{column} {word}")))
}
