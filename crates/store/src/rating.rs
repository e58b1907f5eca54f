//! Ratings of transformers: what the thermal model needs to know of each (grid::thermal), and the limits of its indicators.

use grid::thermal::{Cooling, Paper, Rating};
use grid::{AssetId, ClientId, Micros, PointId};
use tokio_postgres::Row;

use crate::convert::{micros_or_null, sql};
use crate::{Error, Result, Store};

mod plate;

pub use plate::{Given, Plate};

/// What is known of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingRecord {
    /// Rating, insulation and thermal parameters; what the database does not have is the default of the cooling.
    pub rating: Rating,
    /// Its cooling.
    pub cooling: Cooling,
    /// Limits of its indicators.
    pub limits: IndicatorLimits,
    /// Life that was used before the first stored value, years.
    pub used_life_years: f64,
}

/// At which readings the indicators of a transformer warn and trip, °C; `None` where they do not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IndicatorLimits {
    /// Oil, alarm.
    pub oil_alarm: Option<f64>,
    /// Oil, trip.
    pub oil_trip: Option<f64>,
    /// Winding, alarm.
    pub winding_alarm: Option<f64>,
    /// Winding, trip.
    pub winding_trip: Option<f64>,
}

/// A rating to be put.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingSeed {
    /// The utility.
    pub client: ClientId,
    /// The transformer.
    pub asset: AssetId,
    /// Rated power, MVA.
    pub mva: f64,
    /// Its cooling, which decides its thermal parameters.
    pub cooling: Cooling,
    /// Its insulation.
    pub paper: Paper,
    /// Limits of its indicators.
    pub limits: IndicatorLimits,
    /// Life that was used before the first stored value, years.
    pub used_life_years: f64,
}

impl Store {
    /// What is known of a transformer; `None` where nothing is, or where it is another utility's.
    pub async fn rating(&self, client: ClientId, asset: AssetId) -> Result<Option<RatingRecord>> {
        Ok(self.plates(client, Some(asset)).await?.first().map(|(_, plate)| plate.record()))
    }

    /// Since when the history has anything of some points of a utility; `None` where it has nothing.
    pub async fn since(&self, client: ClientId, points: &[PointId]) -> Result<Option<Micros>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let row = self.of(client).query_opt(sql!("rating/since"), &[&client.0, &points]).await?;
        Ok(row.as_ref().map(|row| micros_or_null(row, "since")).transpose()?.flatten())
    }

    /// Puts ratings of transformers that have none yet.
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
                &column(seeds, |seed| seed.cooling.word()),
                &column(seeds, |seed| seed.paper.word()),
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
