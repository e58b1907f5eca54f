//! The event log.

pub(crate) mod event_log;
