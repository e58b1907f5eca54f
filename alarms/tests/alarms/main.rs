//! The service against a real database and bus.

mod away;
mod faults;
mod limits;
mod site;
mod storm;
