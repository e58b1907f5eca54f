//! GET /api/admin/ratings, GET and PUT /api/admin/ratings/{id}: the ratings of transformers.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use grid::thermal::{Cooling, Paper, Parameters, Regime};
use identity::{RequestOrigin, View};
use store::rating::{EnteredParameters, EnteredRating, IndicatorLimits};
use store::registry::AssetRecord;
use wire::Envelope;
use wire::bus::BusMessage;
use wire::ratings::{self, RatingBody, ThermalParameters, TransformerRating};

use crate::body::Body;
use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::hierarchy::TRANSFORMERS;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// The range of an indicator's limits, °C.
const INDICATED_C: std::ops::RangeInclusive<f64> = -50.0..=250.0;

/// Returns the transformers that the caller can see, with their ratings.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/ratings", tag = "admin", operation_id = "ratings", security(("bearer" = [])),
    responses(
        (status = 200, description = "By substation and name", body = Envelope<Vec<TransformerRating>>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    view: View,
) -> Result<Json<Envelope<Vec<TransformerRating>>>, Error> {
    let plates: HashMap<_, _> = services.store().plates(principal.client, None).await?.into_iter().collect();
    let seen = view.field.assets().filter(|asset| TRANSFORMERS.contains(&asset.type_id));
    let seen = seen.filter(|asset| view.field.node(asset.location).is_some_and(|location| view.sees(location)));
    let mut rows: Vec<TransformerRating> = seen.map(|asset| row(&view, asset, plates.get(&asset.id))).collect();
    rows.sort_by(|a, b| (&a.location_name, &a.asset_name, a.asset_id).cmp(&(&b.location_name, &b.asset_name, b.asset_id)));
    Ok(Json(Envelope::ok(rows)))
}

/// Returns the rating of a transformer.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/ratings/{id}", tag = "admin", operation_id = "rating", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A transformer")),
    responses(
        (status = 200, description = "The rating, null if none was entered", body = Envelope<TransformerRating>),
        (status = 400, description = "The asset is not a transformer", body = wire::envelope::Failure),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    scoped: Scoped<Asset>,
) -> Result<Json<Envelope<TransformerRating>>, Error> {
    let asset = transformer(&scoped)?;
    let plates = services.store().plates(principal.client, Some(asset.id)).await?;
    Ok(Json(Envelope::ok(row(&scoped.view, asset, plates.first().map(|(_, plate)| plate)))))
}

/// Replaces the rating of a transformer. Its limits raise alarms within a second, unless the utility has its own rules for the indicators.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/ratings/{id}", tag = "admin", operation_id = "changeRating", security(("bearer" = [])),
    request_body = RatingBody, params(("id" = i64, Path, description = "A transformer")),
    responses(
        (status = 200, description = "The stored configuration", body = Envelope<TransformerRating>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    scoped: Scoped<Asset>,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Body(body): Body<RatingBody>,
) -> Result<Json<Envelope<TransformerRating>>, Error> {
    let asset = transformer(&scoped)?;
    let plate = checked(&body).map_err(Error::BadRequest)?;
    services.store().replace_plate(principal.client, asset.id, &plate, &trail.origin).await?;
    services.0.deps.bus.publish(BusMessage::AlarmRules { client: principal.client.0 });
    Ok(Json(Envelope::ok(row(&scoped.view, asset, Some(&plate)))))
}

fn transformer(scoped: &Scoped<Asset>) -> Result<&AssetRecord, Error> {
    let Asset(asset) = &scoped.target;
    if TRANSFORMERS.contains(&asset.type_id) {
        return Ok(asset);
    }
    Err(Error::BadRequest("the asset is no transformer, and only these have ratings".to_owned()))
}

fn row(view: &View, asset: &AssetRecord, plate: Option<&EnteredRating>) -> TransformerRating {
    let typical = Parameters::typical(plate.map_or(Cooling::Onan, |plate| plate.cooling));
    TransformerRating {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        location_id: asset.location.0,
        location_name: view.field.node(asset.location).map(|location| location.name.clone()).unwrap_or_default(),
        rating: plate.map(to_body),
        defaults: ThermalParameters {
            loss_ratio: Some(typical.loss_ratio),
            oil_rise_k: Some(typical.oil_rise_k),
            gradient_k: Some(typical.gradient_k),
            oil_exponent: Some(typical.oil_exponent),
            winding_exponent: Some(typical.winding_exponent),
            oil_minutes: Some(typical.oil_minutes),
            winding_minutes: Some(typical.winding_minutes),
            k11: Some(typical.k11),
            k21: Some(typical.k21),
            k22: Some(typical.k22),
        },
    }
}

fn to_body(plate: &EnteredRating) -> RatingBody {
    let EnteredRating { mva, cooling, paper, regime, given, limits, used_life_years } = *plate;
    RatingBody {
        rated_mva: mva,
        cooling: cooling.as_str().to_owned(),
        paper: paper.as_str().to_owned(),
        regime: regime.as_str().to_owned(),
        parameters: ThermalParameters {
            loss_ratio: given.loss_ratio,
            oil_rise_k: given.oil_rise_k,
            gradient_k: given.gradient_k,
            oil_exponent: given.oil_exponent,
            winding_exponent: given.winding_exponent,
            oil_minutes: given.oil_minutes,
            winding_minutes: given.winding_minutes,
            k11: given.k11,
            k21: given.k21,
            k22: given.k22,
        },
        limits: ratings::IndicatorLimits {
            oil_alarm_c: limits.oil_alarm,
            oil_trip_c: limits.oil_trip,
            winding_alarm_c: limits.winding_alarm,
            winding_trip_c: limits.winding_trip,
        },
        used_life_years,
    }
}

/// Validates the rating. The error is the message for the user.
fn checked(body: &RatingBody) -> Result<EnteredRating, String> {
    let between = |name: &str, value: f64, end: f64| {
        if value > 0.0 && value < end { Ok(value) } else { Err(format!("{name} must be above 0 and below {end}")) }
    };
    let given =
        |name: &str, value: Option<f64>, end: f64| value.map(|value| between(&format!("parameters.{name}"), value, end)).transpose();
    let parameters = &body.parameters;
    if parameters.k21.is_some_and(|k21| !(1.0..20.0).contains(&k21)) {
        return Err("parameters.k21 must be from 1 and below 20".to_owned());
    }
    if !(0.0..1_000.0).contains(&body.used_life_years) {
        return Err("usedLifeYears must be from 0 and below 1000".to_owned());
    }
    Ok(EnteredRating {
        mva: between("ratedMva", body.rated_mva, 10_000.0)?,
        cooling: Cooling::parse(&body.cooling).ok_or("cooling must be onan, onaf or distribution")?,
        paper: Paper::parse(&body.paper).ok_or("paper must be normal or upgraded")?,
        regime: Regime::parse(&body.regime).ok_or("regime must be normal_cyclic, long_emergency or short_emergency")?,
        given: EnteredParameters {
            loss_ratio: given("lossRatio", parameters.loss_ratio, 10_000.0)?,
            oil_rise_k: given("oilRiseK", parameters.oil_rise_k, 200.0)?,
            gradient_k: given("gradientK", parameters.gradient_k, 200.0)?,
            oil_exponent: given("oilExponent", parameters.oil_exponent, 5.0)?,
            winding_exponent: given("windingExponent", parameters.winding_exponent, 5.0)?,
            oil_minutes: given("oilMinutes", parameters.oil_minutes, 10_000.0)?,
            winding_minutes: given("windingMinutes", parameters.winding_minutes, 10_000.0)?,
            k11: given("k11", parameters.k11, 20.0)?,
            k21: parameters.k21,
            k22: given("k22", parameters.k22, 20.0)?,
        },
        limits: limits(&body.limits)?,
        used_life_years: body.used_life_years,
    })
}

fn limits(limits: &ratings::IndicatorLimits) -> Result<IndicatorLimits, String> {
    for (name, alarm, trip) in [("oil", limits.oil_alarm_c, limits.oil_trip_c), ("winding", limits.winding_alarm_c, limits.winding_trip_c)]
    {
        if [alarm, trip].into_iter().flatten().any(|limit| !INDICATED_C.contains(&limit)) {
            return Err(format!("limits.{name}AlarmC and limits.{name}TripC must lie between -50 and 250"));
        }
        if alarm.zip(trip).is_some_and(|(alarm, trip)| trip < alarm) {
            return Err(format!("limits.{name}TripC must not lie below limits.{name}AlarmC"));
        }
    }
    Ok(IndicatorLimits {
        oil_alarm: limits.oil_alarm_c,
        oil_trip: limits.oil_trip_c,
        winding_alarm: limits.winding_alarm_c,
        winding_trip: limits.winding_trip_c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected message, and the change that makes the rating invalid.
    type Break = (&'static str, fn(&mut RatingBody));

    fn body() -> RatingBody {
        RatingBody {
            rated_mva: 5.0,
            cooling: "onan".into(),
            paper: "normal".into(),
            regime: "normal_cyclic".into(),
            parameters: ThermalParameters::default(),
            limits: ratings::IndicatorLimits { oil_alarm_c: Some(85.0), oil_trip_c: Some(95.0), ..<_>::default() },
            used_life_years: 1.5,
        }
    }

    #[test]
    fn what_cannot_be_taken_is_said() {
        assert_eq!(checked(&body()).map(|plate| to_body(&plate)), Ok(body()));
        let cases: [Break; 10] = [
            ("ratedMva must be above 0 and below 10000", |body| body.rated_mva = 0.0),
            ("ratedMva must be above 0 and below 10000", |body| body.rated_mva = f64::NAN),
            ("cooling must be onan, onaf or distribution", |body| body.cooling = "water".into()),
            ("paper must be normal or upgraded", |body| body.paper = String::new()),
            ("regime must be normal_cyclic, long_emergency or short_emergency", |body| body.regime = "x".into()),
            ("parameters.oilRiseK must be above 0 and below 200", |body| body.parameters.oil_rise_k = Some(200.0)),
            ("parameters.k21 must be from 1 and below 20", |body| body.parameters.k21 = Some(0.5)),
            ("usedLifeYears must be from 0 and below 1000", |body| body.used_life_years = -1.0),
            ("limits.oilTripC must not lie below limits.oilAlarmC", |body| body.limits.oil_trip_c = Some(80.0)),
            ("limits.windingAlarmC and limits.windingTripC must lie between -50 and 250", |body| body.limits.winding_trip_c = Some(999.0)),
        ];
        for (message, change) in cases {
            let mut body = body();
            change(&mut body);
            assert_eq!(checked(&body).err().as_deref(), Some(message));
        }
    }
}
