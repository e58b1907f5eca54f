//! Fuzzes tokens in a header of the API and in the messages of a live socket.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::live::{Credentials, Subscribe, Unsubscribe};

fuzz_target!(|bytes: &[u8]| {
    for header in [bytes, &[b"Bearer ".as_slice(), bytes].concat()] {
        if let Some(token) = auth::bearer(header) {
            assert!(!token.is_empty() && !token.contains([' ', ',']), "nothing that could be two tokens");
            auth::hash_token(token);
        }
    }
    if let Ok(credentials) = serde_json::from_slice::<Credentials>(bytes) {
        auth::hash_token(&credentials.token);
    }
    let _ = (serde_json::from_slice::<Subscribe>(bytes).is_ok(), serde_json::from_slice::<Unsubscribe>(bytes).is_ok());
});
