//! Health, probability and consequences of failure of cables, by the Common Network Asset Indices Methodology (CNAIM) of the British
//! network operators, version 2.1 of 2021. The limits of version 1.1 are available as a parameter.
//!
//! A present score is from 0.5 (new) to 10, a future score up to 15. Ages and lives are in years, lengths in km, failure rates per km and year (for plant: per
//! year), costs in GBP of 2020/21. CNAIM has models of underground cables of 33, 66 and 132 kV; any other voltage gives the error [`NotModelled`].

mod bands;
mod cable;
mod condition;
mod consequence;
mod failure;
mod forecast;
mod matrix;
mod plant;
mod register;
mod score;
mod section;

pub use bands::{Bands, Criticality, HealthIndex};
pub use cable::{CableKind, Conductor, Insulation, Metal, NotModelled, Voltage};
pub use condition::{Condition, Discharge, FaultHistory, Leakage, Modifier, Sheath};
pub use consequence::{Consequence, Cost, REFERENCE_CURRENCY};
pub use failure::{POF_SCORE_MIN, failure_rate, probability};
pub use forecast::{Choice, Forecast, Successor, YEARS_MAX};
pub use matrix::{Cell, Matrix, by_group};
pub use plant::{AssessedPlant, Housing, Plant, PlantState, TransformerPart};
pub use register::{Entry, Exposure, FAULT_YEARS, FaultList, NotAssessedReason};
pub use score::{Ageing, Health, NEW, REPLACE};
pub use section::{Assessed, Fault, Section};
