//! Operating breakers.

use axum::extract::RawPathParams;
use grid::{GatewayId, Point, PointId};
use identity::View;

use crate::extract::Target;

pub(crate) mod commands;
pub(crate) mod operate;
pub(crate) mod status;

/// `{deviceId}/{assetToDiSettingId}` is a gateway and a status point that it reports.
#[derive(Debug, Clone)]
pub(crate) struct StatusPoint(pub Point);

impl Target for StatusPoint {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        let id = |name: &str| params.iter().find(|(key, _)| *key == name)?.1.parse().ok();
        let (gateway, point) = (GatewayId(id("deviceId")?), PointId(id("assetToDiSettingId")?));
        let found = view.field.point(point).filter(|found| found.gateway == gateway)?;
        let location = view.field.node(found.location).filter(|location| view.sees(location));
        (location.is_some() && found.encoding().is_some()).then(|| Self(found.clone()))
    }
}
