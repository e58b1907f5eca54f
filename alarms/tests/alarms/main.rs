//! The service against a real database and bus.

mod away;
mod beat;
mod commands;
mod consequences;
mod faults;
mod forget;
mod limits;
mod network;
mod site;
mod storm;
