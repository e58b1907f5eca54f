//! Tests of the hub with real sockets and a real database.

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
mod network;
mod overview;
mod registry;
mod rights;
mod seeding;
mod site;
mod slow;
mod streams;
mod tables;
mod temporary;
