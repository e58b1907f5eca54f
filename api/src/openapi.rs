//! The OpenAPI document: what the router tells about itself, and the messages of the live socket as schemas beside it.

use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use wire::live::{Class, Credentials, Delta, Ended, Heartbeat, Place, PointValue, Refused, Snapshot, Subscribe, Subscribed, Unsubscribe};
use wire::rows::{EventRow, GatewayRow, LoadCurrentRow};

/// The document, ready to print. The checked-in api/openapi.json is this text.
pub fn document() -> String {
    let mut text = crate::router::described().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// Everything but the paths.
pub(crate) fn frame() -> utoipa::openapi::OpenApi {
    Frame::openapi()
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Switchyard",
        description = "REST calls of the portal, and under components the messages of its live socket (Socket.IO, namespace /live)."
    ),
    modifiers(&Bearer),
    components(schemas(
        Class, Credentials, Delta<EventRow>, Delta<LoadCurrentRow>, Delta<GatewayRow>, Ended, Heartbeat, Place, PointValue, Refused, Snapshot, Subscribe, Subscribed,
        Unsubscribe, wire::sld::Drawing, wire::envelope::Failure
    ))
)]
struct Frame;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}
