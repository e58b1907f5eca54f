//! The node states of a network with changing inputs. They are recomputed only after an input has changed, and the changed
//! nodes are returned.

use super::{Contact, Network, State};

/// A network with its present inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    network: Network,
    inputs: Vec<Contact>,
    states: Vec<State>,
    stale: bool,
}

impl Live {
    /// Creates the states of a network with a number of inputs, all unknown.
    pub fn new(network: Network, inputs: usize) -> Self {
        let inputs = vec![Contact::Unknown; inputs];
        let states = network.states(&inputs);
        Self { network, inputs, states, stale: false }
    }

    /// Sets an input. An input that does not exist is ignored.
    pub fn set(&mut self, input: usize, contact: Contact) {
        if let Some(held) = self.inputs.get_mut(input)
            && *held != contact
        {
            *held = contact;
            self.stale = true;
        }
    }

    /// Returns an input; unknown if it does not exist.
    pub fn input(&self, input: usize) -> Contact {
        self.inputs.get(input).copied().unwrap_or(Contact::Unknown)
    }

    /// Recomputes the states if an input has changed. Returns the nodes whose state differs from before.
    pub fn settle(&mut self) -> Vec<usize> {
        if !std::mem::take(&mut self.stale) {
            return Vec::new();
        }
        let states = self.network.states(&self.inputs);
        let before = std::mem::replace(&mut self.states, states);
        (0..before.len()).filter(|node| before[*node] != self.states[*node]).collect()
    }

    /// The states as of the last [`Live::settle`].
    pub fn states(&self) -> &[State] {
        &self.states
    }
}
