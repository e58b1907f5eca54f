//! Substations at one glance.

pub(crate) mod rows;
