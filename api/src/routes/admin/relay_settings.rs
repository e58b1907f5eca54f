//! GET and PUT /api/admin/relaysettings/{id}: the settings of the overcurrent relay of a feeder.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use grid::load_current::FEEDER_TYPES;
use grid::protection::{Curve, Element, Setting};
use identity::RequestOrigin;
use wire::Envelope;
use wire::curves::{RelaySetting, RelaySettings};

use crate::body::Body;
use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Returns the relay settings of a feeder as entered by users. Nothing is read from the relay.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/relaysettings/{id}", tag = "admin", operation_id = "relaySettings", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A feeder")),
    responses(
        (status = 200, description = "At most one setting of each element", body = Envelope<RelaySettings>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    scoped: Scoped<Asset>,
) -> Result<Json<Envelope<RelaySettings>>, Error> {
    let settings = services.store().relay_settings(principal.client, scoped.target.0.id).await?;
    Ok(Json(Envelope::ok(to_settings(&settings))))
}

/// Replaces the relay settings of a feeder. Nothing is sent to the relay.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/relaysettings/{id}", tag = "admin", operation_id = "changeRelaySettings", security(("bearer" = [])),
    request_body = RelaySettings, params(("id" = i64, Path, description = "A feeder")),
    responses(
        (status = 200, description = "The stored rules", body = Envelope<RelaySettings>),
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
    Body(given): Body<RelaySettings>,
) -> Result<Json<Envelope<RelaySettings>>, Error> {
    let asset = &scoped.target.0;
    if !FEEDER_TYPES.contains(&asset.type_id) {
        return Err(Error::BadRequest("relay settings are of outgoing and incoming feeders (asset types 1 and 4)".to_owned()));
    }
    let settings = checked(&given.settings).map_err(Error::BadRequest)?;
    services.store().replace_relay_settings(principal.client, asset.id, &settings, &trail.origin).await?;
    let settings = services.store().relay_settings(principal.client, asset.id).await?;
    Ok(Json(Envelope::ok(to_settings(&settings))))
}

fn to_settings(settings: &[Setting]) -> RelaySettings {
    RelaySettings { settings: settings.iter().map(RelaySetting::from).collect() }
}

/// Validates the settings. The error is the message for the user.
fn checked(given: &[RelaySetting]) -> Result<Vec<Setting>, String> {
    let mut elements = HashSet::new();
    let settings = given.iter().enumerate().map(|(at, setting)| {
        let setting = one(setting).map_err(|wrong| format!("settings[{at}].{wrong}"))?;
        if elements.insert(setting.element) {
            Ok(setting)
        } else {
            Err(format!("settings[{at}].element is there already, once is allowed"))
        }
    });
    settings.collect()
}

fn one(given: &RelaySetting) -> Result<Setting, String> {
    let element =
        Element::parse(&given.element).ok_or_else(|| format!("element must be {}", Element::ALL.map(Element::as_str).join(", ")))?;
    let curve = Curve::parse(&given.curve).ok_or_else(|| format!("curve must be one of {}", Curve::ALL.map(Curve::as_str).join(", ")))?;
    let setting = Setting { element, pickup_a: given.pickup_a, curve, tms: given.tms, time_s: given.time_s };
    setting.wrong().map_or(Ok(setting), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_is_named_with_its_place() {
        let good =
            RelaySetting { element: "51".into(), pickup_a: 400.0, curve: "iec_standard_inverse".into(), tms: Some(0.1), time_s: None };
        assert_eq!(checked(std::slice::from_ref(&good)).expect("good").len(), 1);
        for (wrong, message) in [
            (vec![RelaySetting { element: "79".into(), ..good.clone() }], "settings[0].element must be 51, 50, 51N, 50N"),
            (
                vec![good.clone(), RelaySetting { curve: "steep".into(), ..good.clone() }],
                "settings[1].curve must be one of definite_time, iec_",
            ),
            (vec![RelaySetting { pickup_a: f64::NAN, ..good.clone() }], "settings[0].pickupA must lie between 1 and 100000 A"),
            (vec![good.clone(), good.clone()], "settings[1].element is there already"),
        ] {
            let found = checked(&wrong).expect_err("refused");
            assert!(found.starts_with(message), "{found}");
        }
    }
}
