//! Tests of the network model against scenarios with expected states, and against a slow search that is written differently.

mod changes;

mod descriptions;
mod earths_and_sources;
mod entered;
mod feeders;
mod findings;
mod hazards;
mod live;
mod measured;
mod paths;
mod reference;
mod sections;
mod sequences;
mod substation;
mod temporary;
mod temporary_checks;
mod traces;
