//! Physics of the demo: pure step functions over plain state.

pub mod sweep;
