//! Operating over HTTP with everything that belongs to it: a database, a broker, ingest, and a gateway that does what a test tells it.

mod credentials;
mod doubt;
pub(crate) mod gateway;
mod late;
mod life;
mod operate;
mod races;
mod refusals;
pub(crate) mod rig;
mod tags;
