//! The domain, pure: no IO, no async, no clock, no serde.
