//! Engine.IO v4 packets: one character for the type and a text. A polling body joins several with the record separator.

/// Separates packets in one polling body.
pub(crate) const SEPARATOR: char = '\x1e';

/// The prefix of a binary message in a polling body; base64 follows.
pub(crate) const BASE64: char = 'b';

/// A packet from a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Incoming<'a> {
    /// The client closes the session.
    Close,
    /// A ping; clients send it only to probe an upgrade.
    Ping(&'a str),
    /// The answer to a ping of the server.
    Pong,
    /// A Socket.IO packet.
    Message(&'a str),
    /// The client switches to its probed transport.
    Upgrade,
    /// No operation.
    Noop,
}

/// Decodes one packet; `None` if clients may not send it.
pub(crate) fn decode(text: &str) -> Option<Incoming<'_>> {
    let mut chars = text.chars();
    let kind = chars.next()?;
    let rest = chars.as_str();
    match (kind, rest) {
        ('1', "") => Some(Incoming::Close),
        ('2', rest) => Some(Incoming::Ping(rest)),
        ('3', _) => Some(Incoming::Pong),
        ('4', rest) => Some(Incoming::Message(rest)),
        ('5', "") => Some(Incoming::Upgrade),
        ('6', "") => Some(Incoming::Noop),
        _ => None,
    }
}

/// Encodes the open packet with the settings of the session.
pub(crate) fn open(sid: &str, upgrades: &[&str], ping_interval_ms: u64, ping_timeout_ms: u64, max_payload: usize) -> String {
    let body = serde_json::json!({
        "sid": sid, "upgrades": upgrades, "pingInterval": ping_interval_ms, "pingTimeout": ping_timeout_ms, "maxPayload": max_payload
    });
    format!("0{body}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_packet_that_a_client_may_send() {
        let cases = [
            ("1", Some(Incoming::Close)),
            ("2probe", Some(Incoming::Ping("probe"))),
            ("3", Some(Incoming::Pong)),
            ("40/live,{}", Some(Incoming::Message("0/live,{}"))),
            ("5", Some(Incoming::Upgrade)),
            ("6", Some(Incoming::Noop)),
            ("", None),
            ("0{}", None),
            ("7", None),
            ("1x", None),
            ("bAAAA", None),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = decode(&text);
        }
    }
}
