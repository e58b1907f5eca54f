//! Fault tests of the product's promises: real processes, gateways with outboxes, observers, and faults from a seeded
//! schedule. At the end they compare what was generated with what the database and every observer have.
//!
//! - [`proxy`]: a TCP link that can be cut, frozen, slowed. [`site`]: the processes and the links between them. [`strike`]: what is done to them.
//! - [`gateways`]: the field and what it generated. [`aliased`]: gateways that change their aliases. [`voice`] and [`hostile`]: who else speaks to the broker. [`observer`]: a client that resumes. [`check`]: the comparison.
//! - [`operators`]: who operates breakers of the demo's own RTUs, and what their journals say.
//! - [`promise`]: each promise by name, in a short form for the suite and a long one.

pub mod aliased;
pub mod check;
pub mod gateways;
pub mod hostile;
pub mod observer;
pub mod operators;
pub mod promise;
pub mod proxy;
mod run;
pub mod site;
pub mod strike;
mod trial;
pub mod voice;
