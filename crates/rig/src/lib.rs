//! Fault tests of the product's promises: real processes, gateways with outboxes, observers, and faults from a seeded
//! schedule. At the end they compare what was generated with what the database and every observer have.
//!
//! - [`site`]: the processes and the links between them. [`proxy`]: a TCP link with faults. [`strike`]: faults of processes and links.
//! - [`gateways`]: the simulated gateways and the values that they generated. [`aliased`]: gateways that change their aliases.
//! - [`recorder`] and [`hostile`]: other clients of the broker. [`observer`]: a client of the live socket that resumes its streams.
//! - [`operators`]: users that operate breakers of the demo's RTUs, and the journals of these RTUs.
//! - [`past`]: months of events for benchmarks.
//! - [`promise`]: each promise by name, in a short form for the test suite and in a long form. [`check`]: the comparison.

pub mod aliased;
pub mod check;
mod files;
pub mod gateways;
pub mod hostile;
pub mod observer;
pub mod operators;
pub mod past;
pub mod promise;
pub mod proxy;
pub mod recorder;
mod run;
pub mod site;
pub mod strike;
mod trial;
