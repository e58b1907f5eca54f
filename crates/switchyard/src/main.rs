//! The one executable of Switchyard.

fn main() {}
