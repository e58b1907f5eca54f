//! Many short texts in one allocation.

/// A list of texts that only grows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    all: String,
    ends: Vec<u32>,
}

impl Texts {
    /// Appends a text. If all texts together would exceed 4 GiB, it changes nothing and returns `false`.
    pub(crate) fn push(&mut self, text: &str) -> bool {
        let Ok(end) = u32::try_from(self.all.len() + text.len()) else { return false };
        self.all.push_str(text);
        self.ends.push(end);
        true
    }

    pub(crate) fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.all[start as usize..self.ends[index] as usize]
    }
}
