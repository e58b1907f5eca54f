//! Answers that refuse a request of a client.

use wire::live::Refused;

/// Returns the refusal in the form that the client receives.
pub(crate) fn refusal(code: &str, message: &str) -> Refused {
    Refused { ok: false, code: code.to_owned(), message: message.to_owned() }
}
