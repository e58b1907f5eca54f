//! Single-line diagrams: the file format and its validation, the wiring, the automatic layout, and imports from other
//! formats. Pure: no IO.

mod attach;
pub mod check;
mod encoding;
pub mod fault;
pub mod feeder;
mod labels;
pub mod layout;
pub mod model;
mod onto;
pub mod picture;
pub mod schema;
pub mod scl;
pub mod source;
pub mod svg;
pub mod template;
pub mod wiring;
mod xml;

pub use attach::Imported;
pub use onto::Places;
