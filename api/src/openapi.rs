//! The OpenAPI document: what the router tells about itself, and the messages of the live socket as schemas beside it.

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, ResponseBuilder};
use utoipa::{Modify, OpenApi, ToSchema as _};
use wire::control::CommandRow;
use wire::envelope::Failure;
use wire::live::{Class, Credentials, Delta, Ended, Heartbeat, Place, PointValue, Refused, Snapshot, Subscribe, Subscribed, Unsubscribe};
use wire::overview::OverviewRow;
use wire::rows::{EventRow, GatewayRow, LoadCurrentRow};
use wire::tables::ReadingRow;

/// The document, ready to print. The checked-in api/openapi.json is this text.
pub fn document() -> String {
    let mut described = crate::router::described();
    for (path, item) in &mut described.paths.paths {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.patch];
        operations.into_iter().flatten().for_each(|operation| tell_refusals(path, operation));
    }
    let mut text = described.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// Adds how any call of its kind may be refused. What a call says of itself stays.
fn tell_refusals(path: &str, operation: &mut Operation) {
    let secured = operation.security.as_ref().is_some_and(|security| !security.is_empty());
    let named = path.contains('{');
    let queried = operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
    let carries = operation.request_body.is_some();
    let refusals = [
        (secured, "401", "Not signed in, or not any more"),
        (secured, "403", "Not allowed to the caller"),
        (secured && named, "404", "There is no such thing, or none that the caller may know of"),
        (queried || carries, "400", "Input that cannot be read; the message says what is allowed"),
        (carries, "413", "The body is too large"),
        (carries, "415", "The body is of another type"),
        (carries, "422", "The body is not of the form described here"),
        (true, "408", "It took too long"),
        (true, "503", "The database does not answer; try again in a moment"),
    ];
    for (_, code, description) in refusals.into_iter().filter(|(applies, ..)| *applies) {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(Failure::name()))).build();
        let response = ResponseBuilder::new().description(description).content("application/json", content).build();
        operation.responses.responses.entry(code.to_owned()).or_insert_with(|| response.into());
    }
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
        Class, Credentials, Delta<EventRow>, Delta<LoadCurrentRow>, Delta<GatewayRow>, Delta<CommandRow>, Delta<wire::alarms::AlarmRow>,
        Delta<wire::faults::FaultRow>, Delta<ReadingRow>, Delta<OverviewRow>, Ended, Heartbeat, Place, PointValue, Refused, Snapshot,
        Subscribe, Subscribed, Unsubscribe, wire::sld::Drawing, wire::second_factor::Want, Failure
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
