//! Errors of the bus.

/// Why a bus cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The broker's address or settings are invalid.
    #[error(transparent)]
    Mqtt(#[from] field::client::Error),
}
