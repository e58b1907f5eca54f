//! Single-line diagrams: what a file must be, how it is wired, and where one comes from besides our own format. Pure: no IO.

pub mod wiring;
