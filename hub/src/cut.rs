//! Why the server ends a connection, and what it tells the client by that.

use serde_json::value::to_raw_value;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use wire::live::Ended;

use crate::socketio::{NAMESPACE, packet};

/// Why a connection is ended by the server; the words go to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It does not read fast enough.
    Slow,
    /// Its session has ended or its token is not good.
    Unauthorised,
    /// The server goes down.
    Shutdown,
    /// It sends too much.
    Rate,
    /// It sent something that is no packet.
    Protocol,
    /// Its token cannot be checked now.
    Unavailable,
    /// Continuity of an event stream is lost; coming back restores it.
    Broken,
    /// It left or was not heard any more.
    Gone,
}

impl Cut {
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

    /// Whether connecting again makes sense.
    pub(crate) fn retry(self) -> bool {
        matches!(self, Self::Slow | Self::Shutdown | Self::Unavailable | Self::Broken | Self::Gone)
    }
}

/// The last words to a client.
pub(crate) fn last_words(cut: Cut) -> Vec<Utf8Bytes> {
    if matches!(cut, Cut::Gone | Cut::Protocol) {
        return Vec::new();
    }
    let message = match cut {
        Cut::Slow => "You do not read fast enough; subscribe again with the place you have.",
        Cut::Unauthorised => "The session is not signed in or has ended.",
        Cut::Shutdown => "The server goes down; connect again.",
        Cut::Rate => "Too many messages.",
        Cut::Unavailable => "Whether you are signed in cannot be found out now; connect again.",
        Cut::Broken => "The event log cannot be continued from memory; subscribe again with the place you have.",
        Cut::Protocol | Cut::Gone => "",
    };
    let ended = Ended { code: cut.code().to_owned(), message: message.to_owned(), retry: cut.retry() };
    let event = to_raw_value(&ended).map(|raw| packet::event(NAMESPACE, "ended", &raw)).unwrap_or_default();
    vec![event.into(), packet::disconnected(NAMESPACE).into()]
}
