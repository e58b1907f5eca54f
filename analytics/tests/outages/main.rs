//! Tests of outages against a real database, with events in any order.

mod following;
mod network;
mod people;
mod site;
