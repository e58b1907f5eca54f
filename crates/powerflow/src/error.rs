//! Why a network cannot be calculated.

use thiserror::Error;

/// The reason why a case cannot be built from a description.
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
    /// A value is not a number or is out of its range.
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
    /// Equipment has a terminal at a node that does not exist, or too few terminals.
    #[error("{0}: its terminals do not fit its kind, or have no node")]
    BadTerminals(String),
    /// A transformer has no ratings, or its numbers of ends and terminals differ.
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
    /// The matrix of a line's impedances by phase has no inverse.
    #[error("{0}: its impedances by phase cannot be inverted; give each phase an impedance greater than the mutual ones")]
    BadImpedance(String),
    /// The nominal voltage of a node is not given, and cannot be derived from its neighbours.
    #[error("{0}: its nominal voltage is not known; give it, or the ratings of a transformer beside it")]
    NoVoltage(String),
    /// Two sources hold different voltages at the same place.
    #[error("{first} and {second} hold different voltages at one place; give one of them an impedance")]
    HeldTwice {
        /// One source.
        first: String,
        /// The other.
        second: String,
    },
}
