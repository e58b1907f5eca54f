//! Power quality: symmetrical components and unbalance, flicker, dips and swells, and the limits of the supply voltage. Pure
//! calculations.

pub mod event;
pub mod flicker;
pub mod supply;
pub mod unbalance;

pub use event::{Detector, Event, Thresholds, VoltageEventKind};
pub use unbalance::{Phasor, Rotation, Sequence};
