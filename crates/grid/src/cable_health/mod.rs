//! Health, probability and consequences of failure of cables, by the Common Network Asset Indices Methodology (CNAIM) of the British
//! network operators, version 2.1 of 2021; the bands of version 1.1 by parameter (domain.md section 3).
//!
//! Scores run from 0.5 (new) to 10 today and to 15 in the future. Ages and lives are years, lengths km, rates failures per km and year (of
//! plant: per year), costs GBP of 2020/21. Of underground cables CNAIM knows 33, 66 and 132 kV; others are answered with a [`NotModelled`],
//! never with a guess.

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
pub use cable::{Conductor, Insulation, Kind, Metal, NotModelled, Voltage};
pub use condition::{Condition, Discharge, FaultHistory, Leakage, Modifier, Sheath};
pub use consequence::{Consequence, Cost, REFERENCE_CURRENCY};
pub use failure::{POF_SCORE_MIN, failure_rate, probability};
pub use forecast::{Choice, Forecast, Successor, YEARS_MAX};
pub use matrix::{Cell, Matrix, by_group};
pub use plant::{AssessedPlant, Housing, Plant, PlantState, TransformerPart};
pub use register::{Entry, Exposure, FAULT_YEARS, Kept, Unassessed};
pub use score::{Ageing, Health, NEW, REPLACE};
pub use section::{Assessed, Fault, Section};
