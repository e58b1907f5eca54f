//! The REST api. Start reading at [`router`], which lists every route.

mod audit;
mod body;
mod correlate;
mod error;
mod extract;
mod file_answer;
mod heavy;
mod hierarchy;
mod idempotency_key;
mod network_feeders;
mod openapi;
mod page;
mod peer;
mod route_table;
mod router;
mod routes;
mod run;
mod state;

pub mod probes;
pub mod shell;

pub use openapi::document;
pub use router::{router, templates};
pub use routes::lowcarbon::demand_file::sweep as sweep_demand_files;
pub use run::{listen, serve};
pub use state::Deps;
