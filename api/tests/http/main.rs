//! The api over HTTP against a real database: what a client sees, and what it must not.

mod access;
mod acknowledge;
mod administration;
mod audit;
mod closed_by_default;
mod configuration;
mod control;
mod credentials;
mod event_log;
mod field;
mod hierarchy;
mod history;
mod matrix;
mod overdue;
mod permissible_load;
mod reset;
mod second_factor;
mod server;
mod sign_in;
mod sld;
mod switch;
mod tenants;
mod unfiltered;
