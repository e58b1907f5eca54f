//! What can go wrong with a bus.

/// Why a bus cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The broker's address or settings.
    #[error(transparent)]
    Mqtt(#[from] field::client::Error),
}
