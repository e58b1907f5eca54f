//! Sparkplug topics: `spBv1.0/{group}/{kind}/{edge node}[/{device}]` and `spBv1.0/STATE/{host}` (Sparkplug 3.0, chapter 4).

use std::fmt;

use grid::enum_text;

/// The first element of every Sparkplug B topic.
pub const NAMESPACE: &str = "spBv1.0";

/// Maximum length of group, node, device, host and metric names, in bytes.
pub const NAME_LIMIT: usize = 200;

/// The type of a message of an edge node. NCMD and DCMD are sent to the node, all others by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A node is online, with all its metrics.
    NBirth,
    /// Values of the node itself.
    NData,
    /// A node is offline; usually its will, published by the broker.
    NDeath,
    /// A command to the node.
    NCmd,
    /// A device is online, with all its metrics.
    DBirth,
    /// Values of a device.
    DData,
    /// A device is offline.
    DDeath,
    /// A command to a device.
    DCmd,
}

enum_text! {
    /// The text in the topic.
    MessageKind {
        NBirth = "NBIRTH",
        NData = "NDATA",
        NDeath = "NDEATH",
        NCmd = "NCMD",
        DBirth = "DBIRTH",
        DData = "DDATA",
        DDeath = "DDEATH",
        DCmd = "DCMD",
    }
}

impl MessageKind {
    /// Returns whether its topic ends with a device.
    pub fn names_device(self) -> bool {
        matches!(self, Self::DBirth | Self::DData | Self::DDeath | Self::DCmd)
    }
}

/// A topic of Sparkplug B.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Topic {
    /// To or from an edge node.
    Edge {
        /// The utility's code.
        group: String,
        /// The message type.
        kind: MessageKind,
        /// The RTU's or gateway's code.
        node: String,
        /// The bay's or asset's code; empty for the node itself.
        device: String,
    },
    /// Whether a host application is online; retained.
    State {
        /// The host's id.
        host: String,
    },
}

/// Why a topic is not a valid Sparkplug topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TopicError {
    /// The topic has a different namespace or a wrong number of elements.
    #[error("not a Sparkplug B topic")]
    Foreign,
    /// The third element is not a message type.
    #[error("unknown message type")]
    Kind,
    /// An element is empty, too long, or has characters that are not allowed in names.
    #[error("a name in the topic is empty, too long, or has characters it may not have")]
    Name,
}

impl Topic {
    /// Returns the topic of a node's message; with an empty device, a message of the node itself.
    pub fn edge(group: &str, kind: MessageKind, node: &str, device: &str) -> Self {
        Self::Edge { group: group.into(), kind, node: node.into(), device: device.into() }
    }

    /// Parses a topic.
    pub fn parse(topic: &str) -> Result<Self, TopicError> {
        // At most six parts, so that a seventh element cannot be part of the device.
        let elements: Vec<&str> = topic.splitn(6, '/').collect();
        let (group, word, node, device) = match elements[..] {
            [NAMESPACE, "STATE", host] => return name(host).map(|host| Self::State { host }),
            [NAMESPACE, group, word, node] => (group, word, node, None),
            [NAMESPACE, group, word, node, device] => (group, word, node, Some(device)),
            _ => return Err(TopicError::Foreign),
        };
        let kind = MessageKind::parse(word).ok_or(TopicError::Kind)?;
        if kind.names_device() != device.is_some() {
            return Err(TopicError::Foreign);
        }
        Ok(Self::Edge { group: name(group)?, kind, node: name(node)?, device: device.map_or(Ok(String::new()), name)? })
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State { host } => write!(f, "{NAMESPACE}/STATE/{host}"),
            Self::Edge { group, kind, node, device } if kind.names_device() => {
                write!(f, "{NAMESPACE}/{group}/{}/{node}/{device}", kind.as_str())
            }
            Self::Edge { group, kind, node, .. } => write!(f, "{NAMESPACE}/{group}/{}/{node}", kind.as_str()),
        }
    }
}

impl Topic {
    /// Returns the edge node that a topic names, without checking the rest of the topic. This is sufficient to find the
    /// shard of the node.
    pub fn node_of(topic: &str) -> Option<&str> {
        topic.split('/').nth(3).filter(|node| !node.is_empty())
    }
}

/// Returns filters for all messages of the groups' edge nodes; an empty list means all groups. They do not overlap,
/// because a broker delivers a message once for each matching subscription.
pub fn telemetry_filters(groups: &[String]) -> Vec<String> {
    let any = [String::from("+")];
    let groups = if groups.is_empty() { &any[..] } else { groups };
    let kinds =
        [MessageKind::NBirth, MessageKind::NData, MessageKind::NDeath, MessageKind::DBirth, MessageKind::DData, MessageKind::DDeath];
    groups.iter().flat_map(|group| kinds.map(|kind| Topic::edge(group, kind, "+", "+").to_string())).collect()
}

/// Returns whether a metric name can be stored: not empty, not too long, and without control characters (PostgreSQL
/// stores no NUL).
pub fn is_metric_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_LIMIT && !text.chars().any(char::is_control)
}

fn name(text: &str) -> Result<String, TopicError> {
    if is_metric_name(text) && !text.contains(['/', '+', '#']) { Ok(text.to_owned()) } else { Err(TopicError::Name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_read_and_written_alike() {
        for (text, topic) in [
            ("spBv1.0/APDL/NBIRTH/AUTONAGAR", Topic::edge("APDL", MessageKind::NBirth, "AUTONAGAR", "")),
            ("spBv1.0/APDL/DDATA/AUTONAGAR/F3", Topic::edge("APDL", MessageKind::DData, "AUTONAGAR", "F3")),
            ("spBv1.0/STATE/switchyard", Topic::State { host: "switchyard".into() }),
        ] {
            assert_eq!(Topic::parse(text).as_ref(), Ok(&topic));
            assert_eq!(topic.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_topic_of_ours_is_refused() {
        let long = format!("spBv1.0/{}/NDATA/N", "g".repeat(NAME_LIMIT + 1));
        for (text, error) in [
            ("", TopicError::Foreign),
            ("spAv1.0/G/NDATA/N", TopicError::Foreign),
            ("spBv1.0/G/NDATA", TopicError::Foreign),
            ("spBv1.0/G/NDATA/N/D", TopicError::Foreign),
            ("spBv1.0/G/DDATA/N", TopicError::Foreign),
            ("spBv1.0/G/DDATA/N/D/E", TopicError::Foreign),
            ("spBv1.0/G/DDATA/N/D/", TopicError::Foreign),
            ("spBv1.0/G/XDATA/N", TopicError::Kind),
            ("spBv1.0//NDATA/N", TopicError::Name),
            ("spBv1.0/G/DDATA/N/", TopicError::Name),
            ("spBv1.0/G/NDATA/a\u{0}b", TopicError::Name),
            (&long, TopicError::Name),
        ] {
            assert_eq!(Topic::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn filters_cover_each_kind_once_and_no_state() {
        assert_eq!(telemetry_filters(&[]).len(), 6);
        let filters = telemetry_filters(&["A".into(), "B".into()]);
        assert_eq!(filters.len(), 12);
        assert!(filters.contains(&"spBv1.0/B/DDATA/+/+".to_owned()));
        assert!(filters.contains(&"spBv1.0/A/NDEATH/+".to_owned()));
    }
}
