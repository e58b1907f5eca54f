//! The states of a network that changes: worked out anew only when an input has really changed, and told as what is different.

use super::{Contact, Network, State};

/// A network with what its inputs say now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    network: Network,
    inputs: Vec<Contact>,
    states: Vec<State>,
    stale: bool,
}

impl Live {
    /// Nothing is known of any of so many inputs yet.
    pub fn new(network: Network, inputs: usize) -> Self {
        let inputs = vec![Contact::Unknown; inputs];
        let states = network.states(&inputs);
        Self { network, inputs, states, stale: false }
    }

    /// Takes what an input says now. What there is no input for is ignored.
    pub fn set(&mut self, input: usize, contact: Contact) {
        if let Some(held) = self.inputs.get_mut(input)
            && *held != contact
        {
            *held = contact;
            self.stale = true;
        }
    }

    /// What an input says.
    pub fn input(&self, input: usize) -> Contact {
        self.inputs.get(input).copied().unwrap_or(Contact::Unknown)
    }

    /// Works the states out, if an input has changed since; answers the nodes whose state is another now.
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
