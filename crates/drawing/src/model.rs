//! Derives a part of the network model from a drawing, and compares a drawing with the model.
//!
//! The connections are the same as those for the colours of diagrams ([`crate::wiring`]). A drawing has no impedances, and does not contain equipment outside
//! of its substation. So each incoming line becomes a source, as in the diagram.

mod compare;
mod derive;
mod elements;
mod station;
#[cfg(test)]
mod tests;
mod vector_group;

pub use compare::{Comparison, compare};
pub use derive::Derived;
pub use station::{Station, StationAsset, StationPoint};
