//! Tests of outages against a real database, with events in any order.

mod by_hand;
mod following;
mod network;
mod people;
mod site;
