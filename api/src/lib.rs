//! The REST api. Start reading at [`router`], which lists every route.

mod area;
mod audit;
mod body;
mod contents;
mod correlate;
mod drawing;
mod embed;
mod error;
#[cfg(test)]
mod example;
mod extract;
mod hierarchy;
mod mail;
mod openapi;
mod page;
mod pictures;
mod reports;
mod reset;
mod router;
mod routes;
mod run;
mod second_factor;
mod session;
mod state;
mod tables;
mod throttle;
mod turns;

pub mod probes;
pub mod shell;

pub use embed::{EmbedSettings, POWER_BI_SETTINGS, PowerBiHosts, PowerBiSettings};
pub use mail::{MailError, MailSettings, Mailer};
pub use openapi::document;
pub use reports::ReportSettings;
pub use reports::schedule::{Clock, Counter, ScheduleSettings, mind_schedules};
pub use router::{router, templates};
pub use routes::lowcarbon::demand_file::sweep as sweep_demand_files;
pub use run::{listen, serve};
pub use second_factor::{SecondFactor, tell_of_removal_at_the_console};
pub use session::DEMO_PASSWORD;
pub use state::{Deps, Lifetimes};
