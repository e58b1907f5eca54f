//! The OpenAPI document: the operations of the handlers, and the messages of the live socket as schemas.

/// Returns the OpenAPI 3.1 document of all operations as JSON: the file `api/openapi.json`.
pub fn document() -> &'static str {
    include_str!("../openapi.json")
}

#[cfg(test)]
mod tests {
    use super::document;

    use utoipa::openapi::path::Operation;
    use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
    use utoipa::openapi::{ContentBuilder, Ref, ResponseBuilder};
    use utoipa::{Modify, OpenApi, ToSchema as _};
    use wire::control::CommandRow;
    use wire::envelope::Failure;
    use wire::live::{
        Class, Credentials, Delta, Ended, Heartbeat, PointValue, Refused, Snapshot, StreamPosition, Subscribe, Subscribed, Unsubscribe,
    };
    use wire::overview::OverviewRow;
    use wire::rows::{EventRow, GatewayRow, LoadCurrentRow};
    use wire::tables::ReadingRow;

    /// Generates the document from the declarations in the code.
    fn generated() -> String {
        let mut described = crate::router::route_table().describe(Frame::openapi());
        for (path, item) in &mut described.paths.paths {
            let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.patch];
            operations.into_iter().flatten().for_each(|operation| describe_refusals(path, operation));
        }
        let mut text = described.to_pretty_json().unwrap_or_default();
        text.push('\n');
        text
    }

    /// Adds the errors that every operation of its kind can have. Declarations of the operation itself are kept.
    fn describe_refusals(path: &str, operation: &mut Operation) {
        let secured = operation.security.as_ref().is_some_and(|security| !security.is_empty());
        let named = path.contains('{');
        let queried = operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
        let carries = operation.request_body.is_some();
        let refusals = [
            (secured, "401", "Not signed in, or the session has ended"),
            (secured, "403", "The caller has no permission"),
            (secured && named, "404", "The item does not exist, or the caller cannot see it"),
            (queried || carries, "400", "The input cannot be used; the message names what is allowed"),
            (carries, "413", "The body is too large"),
            (carries, "415", "The body has another content type"),
            (carries, "422", "The operation is not possible for this item"),
            (true, "408", "The call took too long"),
            (true, "503", "The database does not answer; try again in a moment"),
        ];
        for (_, code, description) in refusals.into_iter().filter(|(applies, ..)| *applies) {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(Failure::name()))).build();
            let response = ResponseBuilder::new().description(description).content("application/json", content).build();
            operation.responses.responses.entry(code.to_owned()).or_insert_with(|| response.into());
        }
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
            Delta<wire::faults::FaultRow>, Delta<ReadingRow>, Delta<OverviewRow>, Ended, Heartbeat, StreamPosition, PointValue, Refused, Snapshot,
            wire::areas::AreaVersionRow, Subscribe, Subscribed, Unsubscribe, wire::sld::Drawing, wire::second_factor::SecondFactorRefusal, Failure
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

    #[test]
    fn checked_in_document_matches_the_code() {
        let generated = generated();
        if document() != generated {
            let path = std::env::temp_dir().join("switchyard-openapi.json");
            std::fs::write(&path, generated).expect("written");
            panic!("api/openapi.json is stale; copy {} over it", path.display());
        }
    }

    #[test]
    fn socket_messages_are_described_beside_the_calls() {
        let document: serde_json::Value = serde_json::from_str(document()).expect("JSON");
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        for message in ["Subscribe", "Subscribed", "Refused", "Heartbeat", "Ended", "Delta_EventRow", "PointValue", "Drawing", "Failure"] {
            assert!(schemas.contains_key(message), "{message} is missing; there are {:?}", schemas.keys());
        }
    }

    #[test]
    fn every_path_of_the_document_is_routed() {
        let document: serde_json::Value = serde_json::from_str(document()).expect("JSON");
        let described: std::collections::BTreeSet<String> = document["paths"].as_object().expect("paths").keys().cloned().collect();
        assert_eq!(described, crate::router::route_table().into_paths().into_iter().collect());
    }
}
