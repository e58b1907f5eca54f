//! Ratings of transformers: what the thermal model needs to know of each (grid::thermal), and the limits of its indicators.

use grid::thermal::{Cooling, Paper, Parameters, Rating, Regime};
use grid::{AssetId, ClientId, Micros, PointId};
use tokio_postgres::Row;

use crate::convert::{micros_or_null, sql};
use crate::{Error, Result, Store};

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
        let row = self.of(client).query_opt(sql!("rating/of_asset"), &[&client.0, &asset.0]).await?;
        row.as_ref().map(record).transpose()
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

fn record(row: &Row) -> Result<RatingRecord> {
    let number = |column: &str| row.try_get::<_, Option<f64>>(column);
    let cooling = word(row, "cooling", Cooling::from_word)?;
    let typical = Parameters::typical(cooling);
    let parameters = Parameters {
        loss_ratio: number("loss_ratio")?.unwrap_or(typical.loss_ratio),
        oil_rise_k: number("oil_rise_k")?.unwrap_or(typical.oil_rise_k),
        gradient_k: number("gradient_k")?.unwrap_or(typical.gradient_k),
        oil_exponent: number("oil_exponent")?.unwrap_or(typical.oil_exponent),
        winding_exponent: number("winding_exponent")?.unwrap_or(typical.winding_exponent),
        oil_minutes: number("oil_minutes")?.unwrap_or(typical.oil_minutes),
        winding_minutes: number("winding_minutes")?.unwrap_or(typical.winding_minutes),
        k11: number("k11")?.unwrap_or(typical.k11),
        k21: number("k21")?.unwrap_or(typical.k21),
        k22: number("k22")?.unwrap_or(typical.k22),
    };
    Ok(RatingRecord {
        rating: Rating {
            mva: row.try_get("rated_mva")?,
            paper: word(row, "paper", Paper::from_word)?,
            regime: word(row, "regime", Regime::from_word)?,
            parameters,
        },
        cooling,
        limits: IndicatorLimits {
            oil_alarm: number("oil_alarm_c")?,
            oil_trip: number("oil_trip_c")?,
            winding_alarm: number("winding_alarm_c")?,
            winding_trip: number("winding_trip_c")?,
        },
        used_life_years: row.try_get("used_life_years")?,
    })
}
