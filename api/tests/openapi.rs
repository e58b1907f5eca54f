//! The checked-in document of the api is what the program says. After a change: `cargo run -- openapi > api/openapi.json`.

#[test]
fn the_checked_in_document_is_up_to_date() {
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json")).unwrap_or_default();
    assert!(kept == api::document(), "api/openapi.json is stale: cargo run -- openapi > api/openapi.json");
}

#[test]
fn the_messages_of_the_socket_are_described_beside_the_calls() {
    let document: serde_json::Value = serde_json::from_str(&api::document()).expect("JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for message in ["Subscribe", "Subscribed", "Refused", "Heartbeat", "Ended", "Delta_EventRow", "PointValue", "Drawing", "Failure"] {
        assert!(schemas.contains_key(message), "{message} is missing; there are {:?}", schemas.keys());
    }
}
