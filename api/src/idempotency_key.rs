//! The header `Idempotency-Key`: a request that is repeated with the same key is carried out once.

use axum::http::HeaderMap;

use crate::error::Error;

/// Name of the header.
const KEY: &str = "idempotency-key";
/// Maximum number of characters of a key.
const KEY_MAX: usize = 128;

/// Returns the key of a request; `None` without the header.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, Error> {
    let mut keys = headers.get_all(KEY).iter();
    match (keys.next(), keys.next()) {
        (None, _) => Ok(None),
        (Some(key), None) if (1..=KEY_MAX).contains(&key.len()) => {
            let key = key.to_str().map_err(|_| Error::BadRequest("Idempotency-Key must be plain text".to_owned()))?;
            Ok(Some(key))
        }
        _ => Err(Error::BadRequest(format!("Idempotency-Key must be one of 1 to {KEY_MAX} characters"))),
    }
}
