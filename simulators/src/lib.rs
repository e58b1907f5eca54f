//! Demo RTUs with real physics.
