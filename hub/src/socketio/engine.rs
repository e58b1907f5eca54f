//! Engine.IO v4 packets: one character and a text, several joined by the record separator when polled.

/// Joins packets in one polling body.
pub(crate) const SEPARATOR: char = '\x1e';

/// Begins a binary message in a polling body, base64 behind it.
pub(crate) const BASE64: char = 'b';

/// A packet from a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Incoming<'a> {
    /// The client leaves.
    Close,
    /// A ping; clients send it only to probe an upgrade.
    Ping(&'a str),
    /// The answer to our ping.
    Pong,
    /// A Socket.IO packet.
    Message(&'a str),
    /// The client wants its probed transport to take over.
    Upgrade,
    /// Nothing.
    Noop,
}

/// Reads one packet; `None` when it is none that a client may send.
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

/// The handshake: what the server tells a new session.
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
