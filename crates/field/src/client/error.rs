//! The errors of a connection: why it cannot be set up, or why it cannot send a message.

/// Why a connection cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not a supported address.
    #[error("MQTT address {0:?} is not of the form mqtt://[user:password@]host[:port]")]
    Address(String),
    /// Settings that no broker accepts.
    #[error("MQTT settings: {0}")]
    Settings(String),
}

/// Why a message was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// There is no connection. Send again after the next [`Event::Up`].
    #[error("not connected to the MQTT broker")]
    Down,
    /// The broker reads more slowly than messages are sent.
    #[error("the queue to the MQTT broker is full")]
    Full,
    /// Messages cannot be published to this topic.
    #[error("not a topic to publish to")]
    Topic,
}
