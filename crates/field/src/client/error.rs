//! Why a connection cannot be set up, or takes no message.

/// Why a connection cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not an address this client can use.
    #[error("MQTT address {0:?} is not of the form mqtt://[user:password@]host[:port]")]
    Address(String),
    /// Settings that no broker could accept.
    #[error("MQTT settings: {0}")]
    Settings(String),
}

/// Why a message was not taken for sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// There is no connection. Send again after the next [`Event::Up`].
    #[error("not connected to the MQTT broker")]
    Down,
    /// The broker takes messages more slowly than they come.
    #[error("the queue to the MQTT broker is full")]
    Full,
    /// The topic cannot be published to.
    #[error("not a topic to publish to")]
    Topic,
}
