//! The reasons why the server ends a connection, with the message for the client.

use serde_json::value::to_raw_value;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use wire::live::Ended;

use crate::socketio::{NAMESPACE, packet};

/// Why the server ends a connection. The client gets [`code`](DisconnectReason::code).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DisconnectReason {
    /// The client does not read fast enough.
    Slow,
    /// The session has ended or the token is invalid.
    Unauthorised,
    /// The server shuts down.
    Shutdown,
    /// The client sends too many messages.
    Rate,
    /// The client sent a packet that cannot be decoded.
    Protocol,
    /// The token cannot be checked now.
    Unavailable,
    /// Rows of an event stream were lost. Reconnecting restores them.
    Broken,
    /// The client disconnected or missed its ping timeout.
    Gone,
}

impl DisconnectReason {
    /// The code of the `ended` message.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Unauthorised => "unauthorised",
            Self::Shutdown => "shutdown",
            Self::Rate => "rate",
            Self::Protocol => "protocol",
            Self::Unavailable => "unavailable",
            Self::Broken => "broken",
            Self::Gone => "gone",
        }
    }

    /// Returns whether the client should reconnect.
    pub(crate) fn retry(self) -> bool {
        matches!(self, Self::Slow | Self::Shutdown | Self::Unavailable | Self::Broken | Self::Gone)
    }
}

/// Returns the final packets for a client.
pub(crate) fn last_words(reason: DisconnectReason) -> Vec<Utf8Bytes> {
    if matches!(reason, DisconnectReason::Gone | DisconnectReason::Protocol) {
        return Vec::new();
    }
    let message = match reason {
        DisconnectReason::Slow => "You do not read fast enough; subscribe again with the place you have.",
        DisconnectReason::Unauthorised => "The session is not signed in or has ended.",
        DisconnectReason::Shutdown => "The server goes down; connect again.",
        DisconnectReason::Rate => "Too many messages.",
        DisconnectReason::Unavailable => "Whether you are signed in cannot be found out now; connect again.",
        DisconnectReason::Broken => "The event log cannot be continued from memory; subscribe again with the place you have.",
        DisconnectReason::Protocol | DisconnectReason::Gone => "",
    };
    let ended = Ended { code: reason.code().to_owned(), message: message.to_owned(), retry: reason.retry() };
    let event = to_raw_value(&ended).map(|raw| packet::event(NAMESPACE, "ended", &raw)).unwrap_or_default();
    vec![event.into(), packet::disconnected(NAMESPACE).into()]
}
