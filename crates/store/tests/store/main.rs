//! The store against real databases: one program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod abandoned;
mod access;
mod areas;
mod audit;
mod baseline;
mod comms;
mod control;
mod database_page;
mod day;
mod discovery;
mod events;
mod feeds;
mod fixture;
mod flashes;
mod forecasts;
mod geography;
mod import;
mod kept;
mod leadership;
mod links;
mod lookups;
mod manual_entries;
mod network;
mod partitions;
mod people;
mod plans;
mod presence;
mod ratings;
mod relays;
mod reset;
mod rollups;
mod schema;
mod seeding;
mod series;
mod sums;
mod temporary_changes;
mod tenants;
mod throttle;
mod writing;
