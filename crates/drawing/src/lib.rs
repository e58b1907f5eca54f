//! Single-line diagrams: what a file must be, how it is wired, and where one comes from besides our own format. Pure: no IO.

mod attach;
pub mod check;
pub mod fault;
pub mod layout;
pub mod picture;
pub mod schema;
pub mod scl;
pub mod source;
pub mod svg;
pub mod template;
pub mod wiring;
mod xml;

pub use attach::Imported;
