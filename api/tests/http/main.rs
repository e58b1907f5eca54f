//! The api over HTTP against a real database: what a client sees, and what it must not.

mod closed_by_default;
mod event_log;
mod field;
mod lists;
mod server;
mod sign_in;
mod sld;
mod tenants;
