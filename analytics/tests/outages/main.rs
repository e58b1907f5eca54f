//! Outages against a real database: what events in whatever order amount to.

mod following;
mod people;
mod site;
