//! The api over HTTP against a real database: what a client sees, and what it must not.

mod access;
mod closed_by_default;
mod event_log;
mod field;
mod hierarchy;
mod server;
mod sign_in;
mod sld;
mod tenants;
