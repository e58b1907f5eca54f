//! Demo RTUs with real physics.

pub mod physics;
