//! The service against a real database and bus.

mod faults;
mod limits;
mod site;
mod storm;
