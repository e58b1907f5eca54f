//! Why a network cannot be calculated.

use thiserror::Error;

/// Why no case can be made of a description. Nothing is calculated then.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CaseError {
    /// The state belongs to the model of another description.
    #[error(
        "the state has {state} pieces of equipment and nodes, the description {description}; take the state of the model of this description"
    )]
    OtherModel {
        /// The number in the description.
        description: usize,
        /// The number in the state.
        state: usize,
    },
    /// A value that is no number or out of its range.
    #[error("{id}: {what} is {value}; allowed are values from {low} to {high}")]
    BadValue {
        /// The node or the equipment.
        id: String,
        /// The value's name.
        what: &'static str,
        /// The value.
        value: f64,
        /// The least that is allowed.
        low: f64,
        /// The greatest that is allowed.
        high: f64,
    },
    /// A terminal at a node that does not exist, or too few terminals.
    #[error("{0}: its terminals do not fit its kind, or have no node")]
    BadTerminals(String),
    /// A transformer without ratings, or with another number of ends than terminals.
    #[error("{id}: {ends} ends have ratings and {terminals} have terminals; each terminal needs an end")]
    WrongEnds {
        /// The transformer.
        id: String,
        /// The ends with ratings.
        ends: usize,
        /// The terminals.
        terminals: usize,
    },
    /// A transformer without impedance.
    #[error("{0}: its impedance is 0; give its impedance in ohms at the voltage of its first end")]
    NoImpedance(String),
    /// A line whose impedances by phase have no inverse.
    #[error("{0}: its impedances by phase cannot be inverted; give each phase an impedance greater than the mutual ones")]
    BadImpedance(String),
    /// A node whose nominal voltage is not given and does not follow from its neighbours.
    #[error("{0}: its nominal voltage is not known; give it, or the ratings of a transformer beside it")]
    NoVoltage(String),
    /// Two sources that hold different voltages at one place.
    #[error("{first} and {second} hold different voltages at one place; give one of them an impedance")]
    HeldTwice {
        /// One source.
        first: String,
        /// The other.
        second: String,
    },
}
