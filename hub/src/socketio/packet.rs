//! Socket.IO v5 packets: type, number of attachments, namespace, ack id, JSON.

use serde_json::Value;
use serde_json::value::RawValue;

/// A packet from a client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Incoming {
    /// Join a namespace.
    Connect {
        /// The namespace, such as `/live`.
        namespace: String,
        /// The auth object, `Null` when absent.
        auth: Value,
    },
    /// Leave a namespace.
    Disconnect {
        /// The namespace, such as `/live`.
        namespace: String,
    },
    /// An event with its arguments.
    Event {
        /// The namespace, such as `/live`.
        namespace: String,
        /// Present when the client wants an answer.
        ack: Option<u64>,
        /// The event's name.
        name: String,
        /// Its arguments.
        arguments: Vec<Value>,
        /// Number of binary messages that follow for this event.
        attachments: usize,
    },
    /// An acknowledgement; the hub requests none.
    Ack,
}

/// Why a packet cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// Not a packet type, or one that only servers send.
    #[error("unknown packet type")]
    Type,
    /// The ack id or the namespace is malformed.
    #[error("malformed packet head")]
    Head,
    /// The payload is not the JSON that the type needs.
    #[error("malformed packet payload")]
    Payload,
}

/// Decodes one packet.
pub(crate) fn decode(text: &str) -> Result<Incoming, Error> {
    let mut chars = text.chars();
    let kind = chars.next().ok_or(Error::Type)?;
    let (attachments, rest) = if matches!(kind, '5' | '6') { attachments(chars.as_str())? } else { (0, chars.as_str()) };
    let (namespace, rest) = namespace(rest)?;
    match kind {
        '0' => {
            let auth = if rest.is_empty() { Value::Null } else { serde_json::from_str(rest).map_err(|_| Error::Payload)? };
            Ok(Incoming::Connect { namespace, auth })
        }
        '1' => Ok(Incoming::Disconnect { namespace }),
        '2' | '5' => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let ack = match &rest[..digits] {
                "" => None,
                digits => Some(digits.parse().map_err(|_| Error::Head)?),
            };
            let arguments: Vec<Value> = serde_json::from_str(&rest[digits..]).map_err(|_| Error::Payload)?;
            let mut arguments = arguments.into_iter();
            let Some(Value::String(name)) = arguments.next() else { return Err(Error::Payload) };
            Ok(Incoming::Event { namespace, ack, name, arguments: arguments.collect(), attachments })
        }
        '3' | '6' => Ok(Incoming::Ack),
        _ => Err(Error::Type),
    }
}

/// Maximum number of attachments of one packet.
const ATTACHMENTS: usize = 16;

/// Splits off the number of attachments, as in `2-`.
fn attachments(text: &str) -> Result<(usize, &str), Error> {
    let (count, rest) = text.split_once('-').ok_or(Error::Head)?;
    let count = count.parse().ok().filter(|count| (1..=ATTACHMENTS).contains(count)).ok_or(Error::Head)?;
    Ok((count, rest))
}

/// Splits off the namespace; the default is `/`. A query part is dropped, because v5 does not define it.
fn namespace(text: &str) -> Result<(String, &str), Error> {
    if !text.starts_with('/') {
        return Ok(("/".to_owned(), text));
    }
    let (name, rest) = text.split_once(',').unwrap_or((text, ""));
    if name.len() > 64 {
        return Err(Error::Head);
    }
    Ok((name.split('?').next().unwrap_or(name).to_owned(), rest))
}

fn head(namespace: &str) -> String {
    if namespace == "/" { String::new() } else { format!("{namespace},") }
}

/// Encodes the answer to an accepted CONNECT, as an Engine.IO message.
pub(crate) fn connected(namespace: &str, sid: &str) -> String {
    format!("40{}{}", head(namespace), serde_json::json!({ "sid": sid }))
}

/// Encodes the answer to a refused CONNECT.
pub(crate) fn refused(namespace: &str, message: &str) -> String {
    format!("44{}{}", head(namespace), serde_json::json!({ "message": message }))
}

/// Encodes an event with one argument of JSON.
pub(crate) fn event(namespace: &str, name: &str, argument: &RawValue) -> String {
    format!("42{}[\"{name}\",{}]", head(namespace), argument.get())
}

/// Encodes an acknowledgement with one argument of JSON.
pub(crate) fn ack(namespace: &str, id: u64, argument: &RawValue) -> String {
    format!("43{}{id}[{}]", head(namespace), argument.get())
}

/// Encodes a DISCONNECT from the namespace.
pub(crate) fn disconnected(namespace: &str) -> String {
    format!("41{}", head(namespace))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn packets_of_the_official_clients() {
        let live = || "/live".to_owned();
        let cases = [
            ("0/live,{\"token\":\"t\"}", Ok(Incoming::Connect { namespace: live(), auth: json!({"token": "t"}) })),
            ("0/live,", Ok(Incoming::Connect { namespace: live(), auth: Value::Null })),
            ("0", Ok(Incoming::Connect { namespace: "/".into(), auth: Value::Null })),
            ("1/live,", Ok(Incoming::Disconnect { namespace: live() })),
            ("1/live", Ok(Incoming::Disconnect { namespace: live() })),
            (
                "2/live,12[\"subscribe\",{\"stream\":\"sld/1\"}]",
                Ok(Incoming::Event {
                    namespace: live(),
                    ack: Some(12),
                    name: "subscribe".into(),
                    arguments: vec![json!({"stream": "sld/1"})],
                    attachments: 0,
                }),
            ),
            (
                "2[\"message\"]",
                Ok(Incoming::Event { namespace: "/".into(), ack: None, name: "message".into(), arguments: vec![], attachments: 0 }),
            ),
            ("3/live,1[]", Ok(Incoming::Ack)),
            ("51-[\"x\"]", Ok(Incoming::Event { namespace: "/".into(), ack: None, name: "x".into(), arguments: vec![], attachments: 1 })),
            (
                "52-/a,7[\"x\",{\"_placeholder\":true}]",
                Ok(Incoming::Event {
                    namespace: "/a".into(),
                    ack: Some(7),
                    name: "x".into(),
                    arguments: vec![json!({"_placeholder": true})],
                    attachments: 2,
                }),
            ),
            ("599-[\"x\"]", Err(Error::Head)),
            ("5[\"x\"]", Err(Error::Head)),
            ("2/live,{}", Err(Error::Payload)),
            ("2/live,[1]", Err(Error::Payload)),
            ("2/live,99999999999999999999[\"x\"]", Err(Error::Head)),
            ("0/live,{", Err(Error::Payload)),
            ("4", Err(Error::Type)),
            ("", Err(Error::Type)),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_we_send() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        assert_eq!(connected("/live", "s"), "40/live,{\"sid\":\"s\"}");
        assert_eq!(refused("/", "no"), "44{\"message\":\"no\"}");
        assert_eq!(event("/live", "delta", &raw("{\"a\":1}")), "42/live,[\"delta\",{\"a\":1}]");
        assert_eq!(ack("/live", 7, &raw("{}")), "43/live,7[{}]");
        assert_eq!(disconnected("/live"), "41/live,");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = decode(&text);
        }

        #[test]
        fn no_event_panics(text in "2(/[a-z]{0,5},)?[0-9]{0,30}.*") {
            let _ = decode(&text);
        }
    }
}
