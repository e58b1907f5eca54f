//! Thermal model of oil-immersed transformers: temperatures, ageing, limits and permissible loading (IEC 60076-7:2018).
//!
//! Temperatures are in °C, rises in K, loads per unit of the rated current, times in minutes.

pub mod ageing;
pub mod course;
pub mod limits;
pub mod loading;
pub mod model;

pub use ageing::{LifeState, Paper, UsedLife};
pub use course::{LoadingRow, Sample, course, hot_spot, used_life};
pub use limits::{Limits, Regime};
pub use loading::{Permissible, PresentState, Rating, Status};
pub use model::{Cooling, Parameters, State};
