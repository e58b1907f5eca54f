//! The hub over real sockets, with a real database behind it.

mod alarms;
mod beats;
mod client;
mod commands;
mod conformance;
mod core;
mod diagrams;
mod equipment;
mod http;
mod limits;
mod overview;
mod registry;
mod rights;
mod seeding;
mod site;
mod slow;
mod streams;
mod tables;
