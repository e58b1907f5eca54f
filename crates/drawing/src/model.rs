//! Derives a part of the network model from a drawing, and compares a drawing with the model.
//!
//! The connections are those with which diagrams are coloured ([`crate::wiring`]). A drawing says nothing about impedances, and nothing about what is
//! connected outside of its substation: each incoming line becomes a source, as it counts in the diagram.

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
