//! Operating over HTTP with a real database, broker and ingest, and a gateway whose behaviour the test sets.

mod areas;
mod around;
mod credentials;
mod doubt;
mod entries;
pub(crate) mod gateway;
mod interrupted;
mod late;
mod life;
mod loading;
mod network;
mod operate;
mod races;
mod refusals;
mod repeated;
pub(crate) mod rig;
mod tags;
mod temporary;
