//! Tests the whole product: the executable as processes, a real database and broker, and client libraries of other projects.

#![allow(clippy::print_stdout, reason = "what was counted belongs in the log of the test")]

mod child;
mod energy_replay;
mod fire;
mod loading;
mod product;
mod real_clients;
mod replay;
mod starting;
