//! Tests of the load flow against published figures, figures of pandapower, and the laws of circuits. They are one program, because each test program is
//! linked separately.

mod bad_values;
mod by_phase;
mod case33bw;
mod islands;
mod networks;
mod pandapower;
mod properties;
mod rings;
mod transformers;
